//! Tables in every form: files, JSON, a terminal, Markdown.

use serde_json::{Map, Value};

/// A row: the name of each column, and what stands under it.
pub(crate) type Cells<T> = Vec<(&'static str, T)>;

/// Writes comma-separated values; null is empty.
pub(crate) fn csv(rows: impl IntoIterator<Item = Cells<Value>>) -> String {
    let cell = |(_, value): &(&str, Value)| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        number => number.to_string(),
    };
    let rows = rows.into_iter().collect::<Vec<_>>();
    lines(&rows, cell, |cells| cells.join(","))
}

/// Makes a row an object.
pub(crate) fn fields(row: Cells<Value>) -> Map<String, Value> {
    let fields = row.into_iter();
    fields
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Writes a table as Markdown.
pub(crate) fn markdown(rows: &[Cells<String>]) -> String {
    let table = lines(
        rows,
        |(_, cell)| cell.clone(),
        |cells| format!("| {} |", cells.join(" | ")),
    );
    let (heads, rows) = table.split_once('\n').unwrap_or_default();
    let rule = "---|".repeat(heads.matches(" |").count());
    format!("{heads}\n|{rule}\n{rows}")
}

/// Writes a table for a terminal: the first columns are words and begin on the left,
/// numbers end on the right, and the last column is as long as it likes.
pub(crate) fn aligned(rows: &[Cells<String>], words: usize) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].1.chars().count());
        let head = rows[0][column].0.chars().count();
        cells.fold(head, usize::max)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    lines(
        rows,
        |(_, cell)| cell.clone(),
        |cells| {
            let place = |(column, (cell, width)): (usize, (&String, &usize))| match column {
                column if column < words => format!("{cell:<width$}"),
                column if column + 1 == columns => cell.clone(),
                _ => format!("{cell:>width$}"),
            };
            let cells = cells.iter().zip(&widths).enumerate().map(place);
            cells.collect::<Vec<_>>().join("  ")
        },
    )
}

/// Writes the heads and the rows, a line each.
fn lines<T>(
    rows: &[Cells<T>],
    cell: impl Fn(&(&'static str, T)) -> String,
    line: impl Fn(&[String]) -> String,
) -> String {
    let heads = rows.first().into_iter().map(|row| {
        let heads = row.iter().map(|(head, _)| (*head).to_owned());
        heads.collect::<Vec<_>>()
    });
    let rows = rows.iter().map(|row| row.iter().map(&cell).collect());
    let lines = heads.chain(rows).map(|cells| line(&cells) + "\n");
    lines.collect()
}
