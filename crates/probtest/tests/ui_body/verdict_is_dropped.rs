#![deny(unused_must_use)]

use probtest::{Claim, Probtest, Settings, TestRng, TestRun};

fn body(rng: &mut TestRng) {
    rng.draw_u64();
}

#[test]
fn drops_verdicts() -> Result<(), probtest::Error> {
    let claim = Claim::detect(0.1, 0.05)?;
    Probtest::new("builder").p(0.1).report(body)?;
    Probtest::new("builder").p(0.1).report(body).unwrap();
    probtest::check(&claim, Settings::new("library"), body)?;
    probtest::check_local(&claim, Settings::new("library"), body)?;
    TestRun::begin(&claim, Settings::new("machine"))?;
    let mut run = TestRun::begin(&claim, Settings::new("machine"))?;
    run.next();
    run.observe_passes(1, 1, 1);
    let report = run.finish();
    report.passed();
    report.accepted();
    report.verdict();
    report.doubts();
    report.violation();
    report.facts();
    report.verdict().is_accepted();
    report.clone();
    Ok(())
}
