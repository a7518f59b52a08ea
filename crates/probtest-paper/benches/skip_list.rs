//! The time of one suite run at R = 4. `make bench` runs it.
//!
//! The correct list: all 26 tests are executed 767 times, none stops early. Keys
//! differ from one suite run to the next, so the median of several is shown.

use std::hint::black_box;
use std::time::Instant;

use probtest::seed::RunSeed;
use probtest_paper::skip_list::study::Case;

const SUITE_RUNS: u64 = 101;

fn main() {
    let case = Case::all()[0];
    let mut seconds: Vec<f64> = (1..=SUITE_RUNS)
        .map(|index| {
            let began = Instant::now();
            assert_eq!(black_box(case.suite_run(RunSeed(1), index)), None);
            began.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let median = seconds[seconds.len() / 2];
    let executions = 26 * case.executions();
    println!(
        "skip list, one suite run at R = 4: {:.2} ms for {executions} executions, {:.0} ns each",
        median * 1e3,
        median * 1e9 / executions as f64
    );
}
