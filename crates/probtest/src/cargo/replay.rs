//! One execution alone, with its normal panic output.

use super::terminal;
use crate::run::{Conclusion, Observation, REJECTIONS_IN_A_ROW, uncaught};
use crate::seed::{Replay, Stream, TestRng};

/// Executes one execution. A panic in the body is an ordinary panic; a body that
/// returns `false` or `Err` panics here.
pub(super) fn alone<C: Conclusion>(test: &str, address: Replay, body: impl Fn(&mut TestRng) -> C) {
    terminal::shout(&format!(
        "probtest: replaying execution {} of seed {} of {test} alone",
        address.index, address.seed
    ));
    let stream = Stream::new(address.seed, test);
    for rejected in 0..REJECTIONS_IN_A_ROW {
        let mut rng = stream.attempt(address.index, rejected);
        match uncaught(&mut rng, &body) {
            Observation::Rejected => {}
            Observation::Violated(violation) => panic!("{}", violation.message),
            Observation::Broken(message) => panic!("{message}"),
            Observation::Passed | Observation::Outcome(_) | Observation::Unlisted => {
                terminal::shout(&format!(
                    "probtest: execution {address} of {test} passed\n  note   one execution is not the plan: unset PROBTEST_REPLAY to test the claim"
                ));
                return;
            }
        }
    }
    panic!("execution {address} was rejected {REJECTIONS_IN_A_ROW} times in a row");
}
