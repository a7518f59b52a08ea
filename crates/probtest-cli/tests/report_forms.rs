//! `probtest report`: HTML, Markdown and JUnit take foreign text for text, and fit.

use std::fs;

use crate::common::{probtest, report_on};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const HOSTILE: &str =
    "t::<script>alert(1)</script>\"'|`*_[x](http://y) @team #1 &lt;\u{1b}[31m\u{202e}\u{0}";

fn test(name: &str, message: Option<&str>) -> Value {
    let verdict = if message.is_some() { "violated" } else { "passed" };
    json!({
        "probtest": 2, "kind": "detect", "test": name, "verdict": verdict,
        "claim": { "p": 0.01, "epsilon": 0.05 },
        "planned": 299, "executed": 299, "violated": u64::from(message.is_some()),
        "seed": "0x1", "index": message.map(|_| 299),
        "replay": message.map(|_| format!("cargo test '{name}' && echo <b>")),
        "finding": message.map(|text| json!({ "kind": "execution", "message": text, "details": text })),
        "notes": [{ "kind": "large_p", "words": message.unwrap_or("a note") }],
        "seconds": 0.5,
        "summary": format!("probtest: {}", message.unwrap_or("299 executions")),
        "meaning": message.unwrap_or("it means something"),
    })
}

fn form(tests: &[Value], option: &str) -> String {
    form_of(&json!({ "probtest": 2, "tests": tests }), option)
}

fn form_of(results: &Value, option: &str) -> String {
    let options = match option {
        "" => &[][..],
        "--html" => &[option, "-"],
        _ => &[option],
    };
    report_on(std::slice::from_ref(results), options).exits(0).stdout
}

/// What stands between two marks.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).expect(start);
    rest.split_once(end).expect(end).0
}

#[test]
fn the_page_executes_and_loads_only_what_its_policy_names_by_hash() {
    let page = form(&[test(HOSTILE, Some(HOSTILE)), test("b", None)], "--html");
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"").replace("&#39;", "'");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    for tag in ["style", "script"] {
        let inside = between(&page, &format!("<{tag}>"), &format!("</{tag}>"));
        let hash = STANDARD.encode(Sha256::digest(inside));
        assert!(
            policy.contains(&format!("{tag}-src 'sha256-{hash}'")),
            "src/report/html.rs should say sha256-{hash} for the {tag}"
        );
        assert_eq!(page.matches(&format!("<{tag}")).count(), 1, "{tag}");
    }
    let body = between(&page, "<body>", "<script>");
    for loading in [" src=", " style=", " onclick=", "http://www", "@import", "<img", "<b>\n"] {
        assert!(!body.contains(loading), "{loading}");
    }
    assert!(body.contains("&#60;script&#62;alert(1)"), "the name is there as text");
}

#[test]
fn no_form_hands_a_control_character_on() {
    let tests = [test(HOSTILE, Some(HOSTILE)), test("b", None)];
    for option in ["", "--html", "--markdown", "--junit"] {
        let text = form(&tests, option);
        let control = text.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
        assert_eq!(control, None, "{option}");
        assert!(text.contains("\\u{1b}") || text.contains("&#92;u&#123;1b"), "{option}");
    }
}

#[test]
fn marks_that_hide_turn_or_are_no_xml_become_visible_wherever_they_stand() {
    let marks = "\u{1b}[2J\n\u{61c}\u{200b}\u{feff}\u{fffe}\u{ffff}\u{2066}\u{ad}\u{3164}\u{e0041}";
    let mut claimed = test(marks, None);
    claimed["claim"] = json!({ marks: marks, "p": 0.01 });
    claimed["claim_words"] = json!(marks);
    claimed["verdict"] = json!(marks);
    let tests = [claimed, test(&format!("b{marks}"), Some(marks))];
    for option in ["", "--html", "--markdown", "--junit"] {
        let text = form(&tests, option);
        let shown = text.chars().find(|c| marks.contains(*c) && !"[2J\n".contains(*c));
        assert_eq!(shown, None, "{option}");
        for mark in ["61c", "200b", "feff", "fffe", "ffff", "ad", "3164", "e0041"] {
            assert!(
                text.contains(&format!("{{{mark}}}"))
                    || text.contains(&format!("&#123;{mark}&#125;")),
                "{option} {mark}"
            );
        }
    }
    // What joins an emoji hides nothing.
    let family = "\u{1f469}\u{200d}\u{1f467}";
    assert!(form(&[test(family, None)], "").contains(family));
}

#[test]
fn names_in_markdown_neither_mark_up_nor_mention_nor_break_the_table() {
    let page = form(
        &[
            test(HOSTILE, Some("a ``` b </pre> <details>")),
            test(HOSTILE.trim_end(), None),
            test("a|b", None),
        ],
        "--markdown",
    );
    assert!(!page.contains("<script") && !page.contains("](http"), "{page}");
    assert!(page.contains("a ``` b &#60;/pre&#62; &#60;details&#62;"), "{page}");
    // Mentions are read from text outside code and pre.
    let outside = page.replace("<pre>", "<code>").replace("</pre>", "</code>");
    let outside: String = outside
        .split("<code>")
        .map(|part| part.split_once("</code>").map_or(part, |(_, rest)| rest))
        .collect();
    assert!(!outside.contains('@') && !outside.contains("&#64;"), "{outside}");
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        assert_eq!(row.matches('|').count(), 7, "{row}");
    }
}

#[test]
fn markdown_never_exceeds_a_comment_and_says_what_is_left_out() {
    let long = "wörd ".repeat(1_000);
    let mut tests: Vec<Value> = (0..200).map(|n| test(&format!("v{n}"), Some(&long))).collect();
    tests.extend((0..2000).map(|n| test(&format!("p{n}::{long}"), None)));
    let page = form(&tests, "--markdown");
    assert!(page.len() <= 65_536, "{}", page.len());
    assert!(page.contains("tests left out: a comment holds 65536 characters."), "{page}");
    assert!(page.contains("What the suite promises"));
    assert_eq!(page.matches("<details").count(), page.matches("</details>").count());
    let few: Vec<Value> = (0..300).map(|n| test(&format!("p{n}"), None)).collect();
    let page = form(&few, "--markdown");
    assert!(!page.contains("left out"), "{}", page.len());
    assert!(page.contains("300 tests passed</summary>"));
}

#[test]
fn what_a_run_says_of_itself_marks_nothing_up_and_fits_into_a_comment() {
    let mut words = vec![format!("suite: {HOSTILE} ![x](http://y/z.png) <b>")];
    words.extend((0..40).map(|n| format!("suite: {n} {}", "w".repeat(70_000))));
    let mut tests: Vec<Value> = (0..2000).map(|n| test(&format!("p{n}"), None)).collect();
    tests.push(test("v", Some("left != right")));
    let results =
        json!({ "probtest": 2, "tests": tests, "suite": { "epsilon": { "words": words } } });
    let page = form_of(&results, "--markdown");
    assert!(page.len() <= 65_536, "{}", page.len());
    let promise = between(&page, "What the suite promises", "\n</details>");
    assert!(promise.contains("- *the run:* <code>t&#58;&#58;"), "{promise}");
    for mark in ["](http", "@", "<b>", "<script", "`*_"] {
        assert!(!promise.contains(mark), "{mark} in {promise}");
    }
    assert!(promise.contains("more sentences in the text and HTML reports"));
}

#[test]
fn long_names_that_differ_at_their_end_stay_apart_in_every_form() {
    let long = "long_".repeat(400);
    let tests = ["a", "b"].map(|end| test(&format!("t::{long}{end}"), None));
    for option in ["", "--html", "--markdown", "--junit"] {
        // Pages and comments have their own marks between the parts of a name.
        let text = form(&tests, option);
        let text = text.replace("<wbr aria-hidden=\"true\">", "");
        let text = text.replace("&#95;", "_");
        for end in ["_a", "_b"] {
            assert!(text.contains(&format!("long{end}")), "{option} {end}");
        }
    }
    let xml = form(&tests, "--junit");
    assert!(xml.contains(&format!("<testcase name=\"{long}a\" classname=\"t\"")));
}

#[test]
fn a_long_line_to_copy_does_not_push_other_tests_out_of_a_comment() {
    let mut long = test("a", Some("message"));
    long["replay"] = json!("x".repeat(70_000));
    let page = form(&[long, test("b", Some("another"))], "--markdown");
    assert!(!page.contains("left out"), "{}", page.len());
    assert!(page.contains("- replay: a line of 70000 characters; see the text report"));
    assert!(page.contains("<pre>another</pre>"));
}

#[test]
fn a_long_name_on_the_page_is_broken_behind_its_signs() {
    let page = form(&[test("a/b.py::T::x_[1:: é]", None)], "--html");
    let name = between(&page, "<span class=\"id\">", "</span>");
    let pieces: Vec<&str> = name.split("<wbr aria-hidden=\"true\">").collect();
    assert_eq!(pieces, ["a/", "b.", "py::", "T::", "x_[", "1:: ", "é]"]);
}

#[test]
fn a_page_lists_what_needs_most_attention_and_says_what_it_does_not_list() {
    let mut tests: Vec<Value> = (0..5000).map(|n| test(&format!("p{n}"), None)).collect();
    tests.push(test("v", Some("left != right")));
    let page = form(&tests, "--html");
    assert_eq!(page.matches("<li class=\"test\"").count(), 5000);
    assert!(page.contains("left != right"));
    assert!(page.contains("Counted but not listed: 1 more test."));
    assert!(page.contains("<dt>tests</dt><dd>5001</dd>"));
    let page = form(&tests[1..], "--html");
    assert!(!page.contains("not listed"));
}

#[test]
fn junit_has_failures_errors_times_and_properties() {
    let mut cut = test("b::cut", None);
    cut["verdict"] = json!("inconclusive");
    let xml = form(&[test("a::bad", Some("left <> right")), cut, test("c::good", None)], "--junit");
    for words in [
        r#"<testsuites name="probtest" tests="3" skipped="0" failures="1" errors="1" time="1.500">"#,
        r#"<testcase name="bad" classname="a" time="0.500">"#,
        r#"<failure message="left &lt;&gt; right" type="probtest.violated">"#,
        r#"type="probtest.inconclusive""#,
        r#"<property name="probtest_claim" value="p = 0.01, epsilon = 0.05"/>"#,
        "cargo test &apos;a::bad&apos; &amp;&amp; echo &lt;b&gt;",
    ] {
        assert!(xml.contains(words), "{words}\n{xml}");
    }
}

#[test]
fn junit_names_are_never_empty_and_an_argument_is_a_part_of_them() {
    let xml = form(&[test("::", None), test("a::", None), test("::b", None)], "--junit");
    assert!(!xml.contains("name=\"\""), "{xml}");
    assert_eq!(xml.matches("classname=\"probtest\"").count(), 3, "{xml}");
    let xml = form(&[test("walk.py::rate[a::b]", None)], "--junit");
    assert!(xml.contains(r#"<testcase name="rate[a::b]" classname="walk.py""#), "{xml}");
    assert!(xml.contains("<system-out>"), "{xml}");
}

#[test]
fn the_planner_has_the_numbers_of_the_core() {
    let page = form(&[test("a", None)], "--html");
    let table = between(&page, "<tbody>", "</tbody>");
    let header = between(&page, "<thead>", "</thead>");
    let epsilons: Vec<&str> = header
        .split("<th scope=\"col\">")
        .skip(2)
        .map(|cell| cell.split('<').next().unwrap())
        .collect();
    for (p, epsilon, k) in
        [("0.01", "0.02", "390"), ("1/1024", "0.02", "4004"), ("0.0039", "0.05", "767")]
    {
        let row = between(table, &format!("<th scope=\"row\">{p}</th>"), "</tr>");
        let column = epsilons.iter().position(|text| *text == epsilon).unwrap();
        let cell = row.split("data-k=\"").nth(column + 1).unwrap();
        assert_eq!(cell.split('"').next(), Some(k), "p = {p}, epsilon = {epsilon}");
    }
}

#[test]
fn the_planner_lists_what_the_suite_claims() {
    let mut own = test("a", None);
    own["claim"] = json!({ "p": 0.07, "epsilon": 0.03 });
    let page = form(&[own], "--html");
    assert!(page.contains(">0.07 (in this suite)</option>"));
    assert!(page.contains(">0.03 (in this suite)</option>"));
    // 0.93^49 is 0.02856, 0.93^48 is 0.03071.
    let row = between(&page, "<th scope=\"row\">0.07</th>", "</tr>");
    assert!(row.contains("data-k=\"49\""), "{row}");
}

/// A violated test with labels and a story of more rows than a report shows.
fn explained() -> Value {
    let share = |value: &str, passed: u64, violated: u64| json!({ "value": value, "passed": passed, "violated": violated, "low": 0.0, "high": 1.0 });
    let heights: Vec<Value> =
        (1..=30).map(|height| share(&height.to_string(), 9, u64::from(height == 30))).collect();
    let row = |line: u64| json!({ "first": line, "times": 1, "call": "choice((-1, 1))", "gave": "1", "share": "0.5", "place": format!("walk.py:{line}") });
    let decider = |first: u64| json!({ "first": first, "last": first, "redrawn": 40, "passed": first, "low": 0.0, "high": 1.0, "words": format!("draw {first} alone: pass") });
    let mut facts = test("tests::walk", Some("it ends at 10"));
    let more = json!({
        "address": "0x1:299",
        "labels": [
            { "name": "height", "shares": heights, "of_violation": "30", "words": "height from 1 to 30" },
            { "name": "<b>tall</b>", "at_least": 0.01, "shares": [share("false", 200, 0), share("true", 98, 1)],
              "of_violation": "true", "words": "<b>tall</b> in 33.1 %" },
        ],
        "unusual": ["height = 30 in this execution; 9 of 298 that passed had that or more"],
        "story": {
            "draws": 40, "small": 20, "matter": 15, "tape": "t1.AA9xQA", "holds": true, "complete": true, "executions": 99,
            "words": "40 draws to 15 that matter", "lines": ["choice((-1, 1)) gave 1, draw 1, walk.py:1", "and 14 more"],
            "rows": (1..=15).map(row).collect::<Vec<_>>(),
            "deciders": (1..=20).map(decider).collect::<Vec<_>>(),
            "replay": "pytest walk.py::walk --probtest-replay 0x1:299:1:t1.AA9xQA\u{1b}[31m",
        },
    });
    let (Value::Object(facts), Value::Object(more)) = (&mut facts, more) else { unreachable!() };
    facts.extend(more);
    Value::Object(facts.clone())
}

#[test]
fn labels_stand_in_every_form_with_their_shares_and_what_was_unusual() {
    let unusual = "height = 30 in this execution; 9 of 298 that passed had that or more";
    let text = form(&[explained()], "");
    for part in [
        "  label     height from 1 to 30\n",
        "  label     <b>tall</b> in 33.1 %\n",
        &format!("  unusual   {unusual}\n"),
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(form(&[explained()], "--markdown").contains(unusual));
    let page = form(&[explained()], "--html");
    let charts: Vec<&str> = page.split("<figure class=\"chart\">").skip(1).collect();
    assert_eq!(charts.len(), 2);
    // Thirty numbers share twelve bars.
    assert_eq!(charts[0].matches("<div class=\"bar").count(), 12);
    let own = between(charts[0], "<div class=\"bar own\">", "</div>");
    assert!(own.contains("28 to 30"), "{own}");
    assert!(own.contains("9.4 % ("), "{own}");
    assert!(charts[1].contains("required in at least 0.01 of the executions"));
    assert!(!page.contains("<b>tall"));
}

#[test]
fn a_story_is_explained_in_full_from_the_results() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.json");
    let tests = [explained(), test("tests::other", Some("no story"))];
    fs::write(&file, json!({ "probtest": 2, "tests": tests }).to_string()).unwrap();
    let file = file.to_str().unwrap();
    let told = probtest(&["replay", "--explain", file]).exits(0).stdout;
    for number in 1..=15 {
        let row = format!("choice((-1, 1)) gave 1, draw {number}, walk.py:{number}\n");
        assert!(told.contains(&row), "{told}");
    }
    for number in 1..=20 {
        let share = format!("draw {number} alone: with another value ");
        assert!(told.contains(&share), "{told}");
    }
    for part in [
        "not zero: draws 1 to 15 of 20\n",
        "unusual   height = 30",
        "label     height from 1 to 30\n",
        "\\u{1b}[31m",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert!(!told.contains("tests::other"), "{told}");
    assert_eq!(probtest(&["replay", "0x1:299", "--explain", file]).exits(0).stdout, told);
    probtest(&["replay", "0x1:5", "--explain", file])
        .exits(2)
        .complains("no story of this violation");
    probtest(&["replay", "--", "true"]).exits(2);
    probtest(&["replay", "--explain", file, "--", "true"]).exits(2);
}
