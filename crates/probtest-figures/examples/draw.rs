//! Draws the figures that need no study into a folder: `cargo run --example draw -- DIR`.
use probtest_figures::draw::{Look, png};
use probtest_figures::figures::*;
use probtest_studies::{
    comparison::table,
    counts::{grid::grid, overestimate::cells},
};
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or(".".into());
    for canvas in [
        executions(&grid(61)),
        overestimate(&cells()),
        comparison(&table::one_sided(), &table::two_sided()),
    ] {
        println!("{}: {:?}", canvas.name(), canvas.faults());
        std::fs::write(
            format!("{folder}/{}.svg", canvas.name()),
            canvas.svg(Look::File),
        )?;
        std::fs::write(
            format!("{folder}/{}.png", canvas.name()),
            png(&canvas, 2.0)?,
        )?;
    }
    Ok(())
}
