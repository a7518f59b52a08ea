//! The report as JUnit XML, for CI servers.

use std::fmt::{self, Display, Formatter, Write};
use std::time::Duration;

use super::result::Status;
use super::suite::{ReportedTest, Suite};
use super::view::{facts_text, observed};
use super::words::{DETAILS, NAME, one_line};

/// Text in XML, without the characters that XML can't represent.
struct Xml<'a>(&'a str);

impl Display for Xml<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '&' => out.write_str("&amp;"),
            '<' => out.write_str("&lt;"),
            '>' => out.write_str("&gt;"),
            '"' => out.write_str("&quot;"),
            '\'' => out.write_str("&apos;"),
            '\n' | '\t' => out.write_char(c),
            '\u{fffe}' | '\u{ffff}' => Ok(()),
            c if c.is_control() => Ok(()),
            c => out.write_char(c),
        })
    }
}

/// Writes the suite as JUnit XML: a violation is a failure; a test without a verdict, or in doubt,
/// is an error. Estimates and passes within budget are successes, recognizable by their verdict.
pub fn junit(suite: &Suite) -> String {
    let failing = suite.tests.iter().filter(|test| test.result.status.fails());
    let failures = suite.totals.status.violated;
    let errors = failing.count() as u64 - failures;
    let counts = format!(
        r#"name="probtest" tests="{}" skipped="0" failures="{failures}" errors="{errors}" time="{:.3}""#,
        suite.tests.len(),
        time(suite.totals.seconds)
    );
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml += &format!("<testsuites {counts}>\n    <testsuite {counts}>\n");
    for test in &suite.tests {
        xml += &case(test);
    }
    xml + "    </testsuite>\n</testsuites>\n"
}

fn time(seconds: f64) -> f64 {
    let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    time.as_secs_f64()
}

/// Splits a name into the path before its last part, if any, and that part. An argument in brackets
/// belongs to the name.
fn split(full: &str) -> (Option<&str>, &str) {
    let path = full.find('[').map_or(full, |end| &full[..end]);
    match path.rfind("::") {
        // Servers need both.
        Some(at) if at > 0 && at + 2 < full.len() => (Some(&full[..at]), &full[at + 2..]),
        _ => (None, full),
    }
}

fn case(test: &ReportedTest) -> String {
    let (result, facts) = (&test.result, &test.result.facts);
    // In full: servers merge tests that have the same name.
    let full = one_line(&result.identity.name, DETAILS);
    // Servers group by the dotted or coloned path before the last part.
    let (class, short) = split(&full);
    let mut path: Vec<&str> = test.place.iter().map(String::as_str).collect();
    path.extend(class);
    let class = if path.is_empty() { "probtest".to_owned() } else { path.join("::") };
    let mut xml = format!(
        "        <testcase name=\"{}\" classname=\"{}\" time=\"{:.3}\">\n            <properties>\n",
        Xml(short),
        Xml(&class),
        time(test.seconds())
    );
    let brief = |text: &String| one_line(text, NAME);
    let properties = [
        ("package", result.identity.package.as_ref().map(brief)),
        ("target", result.identity.target.as_ref().map(brief)),
        ("verdict", Some(one_line(facts.verdict.as_str(), NAME))),
        ("claim", Some(result.claim.line.clone())),
        ("executions", Some(facts.executed.to_string())),
        ("planned", facts.planned.map(|planned| planned.to_string())),
        ("rate", result.rate.as_ref().and_then(|rate| rate.range())),
        ("observed", observed(test).map(|words| one_line(words, DETAILS))),
        ("attained", facts.attained.as_ref().map(|attained| one_line(&attained.words, DETAILS))),
        ("seed", facts.seed.as_ref().map(brief)),
    ];
    for (key, value) in properties {
        if let Some(value) = value {
            let value = Xml(&value);
            xml +=
                &format!("                <property name=\"probtest_{key}\" value=\"{value}\"/>\n");
        }
    }
    xml += "            </properties>\n";
    let text = facts_text(test);
    let text = Xml(&text);
    if result.status.fails() {
        let tag = if result.status == Status::Violated { "failure" } else { "error" };
        let doubt = result.doubts.first();
        let message = one_line(doubt.map_or(result.summary(), String::as_str), DETAILS);
        let (message, status) = (Xml(&message), result.status.name());
        xml += &format!(
            "            <{tag} message=\"{message}\" type=\"probtest.{status}\">{text}</{tag}>\n"
        );
    } else {
        xml += &format!("            <system-out>{text}</system-out>\n");
    }
    xml + "        </testcase>\n"
}
