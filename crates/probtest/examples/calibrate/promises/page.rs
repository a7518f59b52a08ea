//! The page in the documents.

use super::{Contrast, DOUBT, Row, Section};

/// The text above the tables.
pub const HEAD: &str = "\
# Our own error rates

*Written by `make calibrate`; do not edit. The numbers are the same each time: every simulation has its seed.*

Does a test with `epsilon = 0.05` miss at most 1 time in 20? This page checks every kind of claim against programs whose failure
rate is known. Where it is possible to go through all ways in which executions can turn out, the chance of a wrong answer is
**exact**; it is computed in several ways that must agree, one of them with the code that decides real tests. Otherwise it is
**counted** over simulations with the public functions. On average, 1 of 20 intervals at 95 % misses the true chance.

";

/// Writes one row of a table.
pub fn line(row: &Row) -> String {
    let (interval, simulations) = match (row.interval(), &row.found) {
        (Some((low, high)), super::Found::Measured { simulations, .. }) => {
            (format!("{} to {}", digits(low), digits(high)), simulations.to_string())
        }
        _ => ("exact".to_owned(), String::new()),
    };
    format!(
        "{}{} | {interval} | {simulations} | {} |",
        beginning(&row.claim, &row.program, row.error, row.promised),
        digits(row.value()),
        row.verdict().word()
    )
}

/// The cells of a row that are known before it is answered.
pub fn beginning(claim: &str, program: &str, error: &str, promised: f64) -> String {
    format!("| {claim} | {program} | {error} | {promised:?} | ")
}

/// Writes one row of the table of other methods.
pub fn contrast_line(row: &Contrast) -> String {
    let believed = row.believed.map_or("none".to_owned(), |b| format!("{b:?}"));
    format!(
        "| {} | {} | {} | {believed} | {} |",
        row.method,
        row.program,
        row.error,
        digits(row.true_error)
    )
}

/// Writes the page.
pub fn page(answered: &[(Section, Vec<Row>)], contrasts: &[Contrast]) -> String {
    let mut page = HEAD.to_owned();
    page += &reading(answered);
    for (section, rows) in answered {
        page += &format!("\n## {}\n\n{}\n\n", section.title, section.about);
        page += "| claim | program | wrong answer | promised at most | found | interval, 95 % | simulations | verdict |\n";
        page += "|---|---|---|---|---|---|---|---|\n";
        for row in rows {
            page += &line(row);
            page.push('\n');
        }
    }
    page += "\n## What other methods do\n\n";
    page += "Computed exactly. \"Believed\" is what people usually take the method to promise.\n\n";
    page += "| method | program | wrong answer | believed | true chance |\n|---|---|---|---|---|\n";
    for row in contrasts {
        page += &contrast_line(row);
        page.push('\n');
    }
    page
}

/// How many promises there are, and how much a verdict proves.
fn reading(answered: &[(Section, Vec<Row>)]) -> String {
    let rows = || answered.iter().flat_map(|(_, rows)| rows);
    let counted = rows().filter(|row| row.interval().is_some()).count();
    let kept = rows().filter(|row| row.verdict() == super::Verdict::Kept);
    let (all, kept) = (rows().count(), kept.count());
    // A counted row can be wrong on each side.
    let doubt = 2.0 * counted as f64 * DOUBT;
    format!(
        "**{kept} of {all} promises are kept.** {} are exact, {counted} counted. A computed chance breaks its promise if it is above it.\n\
         A count breaks it if such a count would come up with probability below {DOUBT:e} although the promise is kept, or although the chance\n\
         computed for the same row is right. If all promises are kept, any of the counted rows reports otherwise with probability below\n\
         {doubt:.1e}. `make calibrate` ends with an error if a promise is broken. The interval is Clopper-Pearson's, for the number of\n\
         simulations in its row.\n",
        all - counted
    )
}

/// Four significant digits.
pub(super) fn digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if value.abs() < 1e-3 {
        return format!("{value:.3e}");
    }
    let places = (3 - value.abs().log10().floor() as i32).max(0) as usize;
    format!("{value:.places$}")
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn numbers_have_four_digits() {
        let shown = [0.049_864, 1.0, 0.261_55, 9.949_1e-7, 0.0].map(digits);
        assert_eq!(shown, ["0.04986", "1.000", "0.2616", "9.949e-7", "0"]);
    }
}
