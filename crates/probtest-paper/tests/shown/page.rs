//! The page: complete, safe, and readable without sight, colour or network.

use probtest_paper::draw::Canvas;
use probtest_paper::page::{self, GENERATOR, Section, Table, TableLine, sections};
use probtest_paper::table::Verdict;

const EVIL: &str = "<script>alert(\"1\")</script>&'";

fn line(verdict: Verdict) -> TableLine {
    TableLine {
        cells: vec![("what", EVIL.into()), ("here", "299".into())],
        verdict,
        why: EVIL.into(),
    }
}

fn section() -> Section {
    Section {
        id: "test",
        title: "A <b>title</b>",
        words: vec![EVIL.into()],
        figures: vec![Canvas::new("figure_test", (10.0, 10.0), EVIL, EVIL)],
        tables: vec![Table {
            caption: EVIL.into(),
            lines: vec![line(Verdict::Agrees), line(Verdict::Differs), line(Verdict::Unpublished)],
        }],
        files: vec![("numbers.csv", "a,b\n".into())],
    }
}

fn html(sections: &[Section]) -> String {
    page::html(&[("command", EVIL)], EVIL, sections)
}

#[test]
fn whatever_stands_in_a_text_stays_text() {
    let html = html(&[section()]);
    assert!(!html.contains("<script"));
    assert!(!html.contains("<b>"));
    // Words, title and description of a figure, its label and caption, a table's caption and
    // label, two cells in each of three rows, how it was made, what is missing.
    let escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;";
    assert_eq!(html.matches(escaped).count(), 1 + 4 + 2 + 6 + 2);
}

#[test]
fn the_page_asks_for_nothing_from_elsewhere() {
    let sections = [sections::executions(), sections::overestimate(), sections::comparison()];
    let html = html(&sections);
    assert!(html.contains("default-src 'none'"));
    assert!(html.contains(GENERATOR));
    let addresses: Vec<&str> =
        html.match_indices("http").map(|(at, _)| &html[at..at + 27]).collect();
    // Only the name of the SVG language, and a header's name.
    for address in addresses {
        assert!(
            address.starts_with("http://www.w3.org/2000/svg") || address.starts_with("http-equiv"),
            "{address}"
        );
    }
    for (before, _) in html.match_indices("href=\"").chain(html.match_indices("src=\"")) {
        let target = &html[before..].split('"').nth(1).unwrap();
        assert!(!target.contains(':') && !target.contains('/'), "{target}");
    }
}

#[test]
fn the_page_is_well_formed_and_every_link_has_its_target() {
    let sections = [sections::executions(), sections::overestimate(), sections::comparison()];
    let html = html(&sections);
    // Close what HTML allows to stay open; then the document is XML.
    let closed: String = html
        .lines()
        .filter(|line| !line.starts_with("<meta") && !line.starts_with("<!DOCTYPE"))
        .map(|line| format!("{line}\n"))
        .collect();
    let document = roxmltree::Document::parse(&closed).unwrap();
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len(), "an id stands twice");
    let files: Vec<String> = sections
        .iter()
        .flat_map(|section| {
            let figures = section.figures.iter();
            let drawn = figures
                .flat_map(|figure| ["svg", "png"].map(|kind| format!("{}.{kind}", figure.name)));
            drawn.chain(section.files.iter().map(|(name, _)| (*name).to_owned()))
        })
        .collect();
    for link in document.descendants().filter_map(|node| node.attribute("href")) {
        match link.strip_prefix('#') {
            Some(id) => assert!(ids.contains(&id), "{link}"),
            None => assert!(files.iter().any(|file| file == link), "{link}"),
        }
    }
}

#[test]
fn tables_have_heads_and_verdicts_are_words() {
    let html = html(&[section()]);
    assert_eq!(html.matches("<th scope=\"col\">").count(), 4);
    assert_eq!(html.matches("<th scope=\"row\">").count(), 3);
    for word in ["agrees</td>", "differs</td>", "not in the paper</td>"] {
        assert_eq!(html.matches(word).count(), 1, "{word}");
    }
    assert!(html.contains("1 of 2 rows agree with the paper, 1 differ"));
}

#[test]
fn every_row_that_differs_has_a_reason() {
    for section in [sections::executions(), sections::overestimate(), sections::comparison()] {
        for table in &section.tables {
            for line in &table.lines {
                let heads: Vec<&str> = line.cells.iter().map(|(head, _)| *head).collect();
                assert_eq!(heads, table.heads(), "{line:?}");
                assert!(line.verdict == Verdict::Unpublished || line.why.len() > 10, "{line:?}");
            }
        }
    }
}
