//! Options as text, one per line (`p=0.01`): read, combined into a claim, and planned.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probtest::plan::Plan;
use probtest::settings::{Given, GivenBy};
use probtest_syntax::options::Spec;
use probtest_syntax::{Outcomes, Probability, duration_text, parse_duration};

fuzz_target!(|text: &str| {
    let mut given = Given::default();
    for line in text.lines() {
        let (name, value) = line.split_once('=').unwrap_or(("", line));
        if Spec::find(name).is_some() {
            // A value after `!` is set by the test itself.
            match value.strip_prefix('!') {
                Some(own) => given.read(name, GivenBy::Test, own),
                None => given.read(name, GivenBy::Variable("PROBTEST_X".into()), value),
            }
        }
        if let Ok(p) = Probability::parse(value) {
            let again = Probability::parse(&p.to_string());
            assert_eq!(again.as_ref(), Ok(&p), "a probability is written as it is read");
        }
        if let Ok(duration) = parse_duration(value) {
            assert_eq!(parse_duration(&duration_text(duration)), Ok(duration));
        }
        let _ = Outcomes::parse(value);
    }
    let _ = given.check();
    let _ = (given.seed(), given.replay(), given.tape(), given.shard());
    if let Ok(claim) = given.claim() {
        let _ = Plan::new(&claim);
        let settings = probtest::Settings::new("fuzz");
        let _ = given.settings(settings, &claim, std::time::Duration::ZERO, 1);
    }
});
