//! The report as Markdown, for a comment on a pull request or the summary of a job.
//!
//! Names and output of tests are foreign text. In cells every character that
//! Markdown or HTML could take for its own is written as an entity, inside
//! `<code>`, where mentions do not work either; output is in `<pre>`.

use std::fmt::{Display, Write};

use super::evidence;
use super::promise::{Promise, RUN};
use super::result::Status;
use super::suite::{ReportedTest, Suite};
use super::view::{FactLine, FactStyle, again, lines, meaning, name, observed};
use super::words::{NAME, duration, one_line, plural, short_name};

/// What a comment may hold, in characters. Bytes are counted, which are never
/// fewer.
const MOST: usize = 65_536;
/// Room for the end: what was left out, the promise, the foot.
const END: usize = 4_096;
/// Room for the promise within it.
const PROMISE: usize = 3_700;
/// How much of one message or output is shown.
const OUTPUT: usize = 3_000;
/// The longest name and the longest line of a cell.
const CELL: usize = 200;

/// Writes the suite as Markdown of at most 65 536 characters.
pub fn markdown(suite: &Suite) -> String {
    let mut page = format!(
        "## probtest: {}\n\n{}. {}.\n",
        suite.headline(),
        suite.counts(),
        suite.executions()
    );
    if let Some(repeated) = suite.repeated() {
        let _ = writeln!(page, "\n{repeated}.");
    }
    let room = MOST - END;
    let (attention, passed): (Vec<&ReportedTest>, Vec<&ReportedTest>) =
        suite.tests.iter().partition(|test| test.result.status.needs_attention());
    let mut left_out = 0;
    if !attention.is_empty() {
        page.push_str("\n### Needs attention\n");
        left_out += fill(&mut page, room, attention.into_iter().map(details));
    }
    if !passed.is_empty() {
        let heading = plural(passed.len() as u64, "test");
        let verb = match suite.totals.status.estimated {
            0 => "passed",
            _ => "passed or estimated",
        };
        let table = format!(
            "\n<details><summary>{heading} {verb}</summary>\n\n| test | claim | executions | time | rates or means that fit | what the pass means |\n|---|---|---:|---:|---|---|\n"
        );
        if page.len() + table.len() < room {
            page.push_str(&table);
            left_out += fill(&mut page, room, passed.into_iter().map(row));
            page.push_str("\n</details>\n");
        } else {
            left_out += passed.len();
        }
    }
    if left_out > 0 {
        let _ = writeln!(
            page,
            "\n**{} left out: a comment holds {MOST} characters.** The text and HTML reports have everything.",
            plural(left_out as u64, "test")
        );
    }
    page.push_str(&promise(suite));
    page.push_str(&together(suite, MOST.saturating_sub(page.len())));
    page
}

/// What runs of the same code show together, as far as there is room.
fn together(suite: &Suite, room: usize) -> String {
    let begin = "\n<details><summary>What the runs show together</summary>\n\n| test | what runs show |\n|---|---|\n";
    let end = "\n</details>\n";
    let rows = evidence::by_test(&suite.evidence).flat_map(|codes| {
        codes.iter().map(|one| {
            let words = code_free(&evidence::line(one, codes.len() > 1), 3 * CELL);
            format!("| {} | {words} |\n", code(&one.test, CELL))
        })
    });
    let mut shown = String::new();
    let room = room.saturating_sub(begin.len() + end.len());
    fill(&mut shown, room, rows.collect::<Vec<_>>().into_iter());
    if shown.is_empty() { shown } else { format!("{begin}{shown}{end}") }
}

/// Adds pieces while there is room, and says how many were left out. What comes
/// later needs less attention: the first that does not fit ends it.
pub fn fill(
    page: &mut String,
    room: usize,
    mut pieces: impl ExactSizeIterator<Item = String>,
) -> usize {
    while let Some(piece) = pieces.next() {
        if page.len() + piece.len() > room {
            return 1 + pieces.len();
        }
        page.push_str(&piece);
    }
    0
}

fn promise(suite: &Suite) -> String {
    let mut text = String::from("\n<details><summary>What the suite promises</summary>\n\n");
    let said = Promise::of(suite).sentences();
    let (runs, own): (Vec<_>, Vec<_>) = said.iter().partition(|(label, _)| *label == RUN);
    for (label, sentence) in own {
        let _ = writeln!(text, "- *{label}:* {}", html(sentence));
    }
    let runs = runs
        .iter()
        .map(|(label, sentence)| format!("- *{label}:* {}\n", code_free(sentence, 2 * CELL)));
    let left_out = fill(&mut text, PROMISE, runs);
    if left_out > 0 {
        let rest = plural(left_out as u64, "more sentence");
        let _ = writeln!(text, "- *{RUN}:* {rest} in the text and HTML reports");
    }
    text.push_str("\n</details>\n");
    text
}

fn row(test: &ReportedTest) -> String {
    let result = &test.result;
    let range = result.rate.as_ref().and_then(|rate| rate.range());
    let seen = range.or_else(|| observed(test).map(|words| one_line(words, NAME)));
    format!(
        "| {} | {} | {} | {} | {} | {} |\n",
        code(&name(test), CELL),
        code(&result.claim.line, CELL),
        result.executions(),
        entities(&duration(result.facts.seconds)),
        entities(&seen.unwrap_or_default()),
        code_free(&meaning(test), CELL)
    )
}

fn details(test: &ReportedTest) -> String {
    let result = &test.result;
    let open = if result.status == Status::Violated { " open" } else { "" };
    let mut text = format!(
        "\n<details{open}><summary><b>{}</b> {}</summary>\n\n",
        result.status.words(),
        code(&name(test), CELL)
    );
    for FactLine { label, value, kind } in lines(test) {
        match kind {
            FactStyle::Words => {
                let _ = writeln!(text, "- {label}: {}", code_free(&value, 2 * CELL));
            }
            FactStyle::Output => {
                let shown: String = value.chars().take(OUTPUT).collect();
                let cut = if shown.len() < value.len() { "\n[cut here]" } else { "" };
                let _ = write!(text, "\n<pre>{}{cut}</pre>\n\n", html(&shown));
            }
            FactStyle::Copy => {}
        }
    }
    match again(test) {
        // Whole: a line to copy that is cut does something else.
        Some((_, line)) if line.len() <= OUTPUT => {
            let _ = writeln!(text, "\n<pre>{}</pre>", html(line));
        }
        Some((label, line)) => {
            let length = line.chars().count();
            let _ = writeln!(text, "- {label}: a line of {length} characters; see the text report");
        }
        None => {}
    }
    text.push_str("\n</details>\n");
    text
}

/// Foreign text in a cell, as code.
pub fn code(text: &str, most: usize) -> String {
    format!("<code>{}</code>", entities(&short_name(text, most)))
}

/// Foreign words in a cell or a list, without a way to mention or to link.
pub fn code_free(text: &str, most: usize) -> String {
    let text = one_line(text, most);
    // Words of probtest itself have none of these; whatever has is foreign.
    match text.contains(['@', '#', '/']) {
        true => format!("<code>{}</code>", entities(&text)),
        false => entities(&text),
    }
}

/// Writes every character that could mean something as an entity.
fn entities(text: &str) -> String {
    let mut safe = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // A point before a letter could make a link: www.example.
        let point = c == '.' && !chars.peek().is_some_and(|next| next.is_alphabetic());
        if c.is_alphanumeric() || point || " ,=-+;()%\u{2026}".contains(c) {
            safe.push(c);
        } else {
            let _ = write!(safe, "&#{};", u32::from(c));
        }
    }
    safe
}

/// Foreign text outside of cells.
fn html(text: &str) -> impl Display {
    let Ok(escaped) = askama::filters::escape(text, askama::filters::Html);
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_cell_is_markup() {
        let cell = code("a|b `c` *d* <script>_e_ @you #1 [x](y)\\", 200);
        let inside = cell.strip_prefix("<code>").unwrap();
        let inside = inside.strip_suffix("</code>").unwrap();
        assert!(!entities("www.example.org").contains('.'));
        assert_eq!(entities("0.01"), "0.01");
        assert!(!inside.contains(['|', '`', '*', '<', '>', '_', '@', '[', '\\']), "{cell}");
    }
}
