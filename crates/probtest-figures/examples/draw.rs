//! Draws every figure into a folder: `cargo run --example draw -- DIR`.
use probtest_figures::draw::{Look, png};
use probtest_figures::figures::*;
use probtest_studies::reinforcement::{
    curve::follow,
    study::{Case, Effort, World, carry_out},
};
use probtest_studies::{
    comparison::table,
    counts::{grid::grid, overestimate::cells},
};
use std::ops::ControlFlow;
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or(".".into());
    let seed = World::SmallLake.paper_seed();
    let four: Vec<u64> = (1..=50).map(|i| 2 * i).collect();
    let seven: Vec<u64> = (1..=50).map(|i| 500 * i).collect();
    let curves = [
        (World::SmallLake, follow(World::SmallLake, &four, seed)),
        (World::LargeLake, follow(World::LargeLake, &seven, seed)),
    ];
    let cases: Vec<Case> = [World::SmallLake, World::LargeLake]
        .iter()
        .flat_map(|&w| Case::of(w, &w.paper_episodes()))
        .collect();
    let rows = carry_out(
        &cases,
        &Effort {
            seed,
            samples: 20000,
            repeats: 100,
            jobs: 2,
        },
        &|| ControlFlow::Continue(()),
    )
    .unwrap();
    for canvas in [
        executions(&grid(61)),
        overestimate(&cells()),
        learning(&curves, &rows),
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
