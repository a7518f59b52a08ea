//! One execution alone, with its normal panic output.

use super::terminal;
use crate::judge::Reason;
use crate::report::reason_words;
use crate::run::{Conclusion, Observation, REJECTIONS_IN_A_ROW, uncaught};
use crate::seed::{Selection, Stream, TestRng};

/// Executes one execution. A panic in the body is an ordinary panic; a body that
/// returns `false` or `Err` panics here. `refuse` says what else is wrong with what it
/// showed, and what to do.
///
/// # Errors
///
/// When the execution decides nothing, the reason. It passes only where the test
/// is named: an address alone reaches every test, and a whole suite would be green
/// after one execution of each.
pub(super) fn alone<C: Conclusion>(
    test: &str,
    selection: Selection,
    refuse: impl Fn(&Observation) -> Option<(String, String)>,
    body: impl Fn(&mut TestRng) -> C,
) -> Result<(), String> {
    let address = selection.address;
    let index = address.index;
    terminal::shout_once(&format!(
        "probtest: replaying execution {index} of seed {} of {test} alone",
        address.seed
    ));
    let refused = |(why, help)| Err(format!("probtest: {why}\n  help      {help}"));
    let reason = |reason| refused(reason_words(&reason, 0));
    let stream = Stream::new(address.seed, test);
    for rejected in 0..REJECTIONS_IN_A_ROW {
        let mut rng = stream.attempt(index, rejected);
        match uncaught(&mut rng, &body) {
            Observation::Rejected => continue,
            Observation::Violated(violation) => panic!("{}", violation.message),
            Observation::Broken(message) => return reason(Reason::Broken { index, message }),
            shown => {
                if let Some(words) = refuse(&shown) {
                    return refused(words);
                }
            }
        }
        if !selection.names_a_test() {
            return Err(format!(
                "probtest: execution {address} of {test} passed, which is not the plan, and PROBTEST_REPLAY names no test\n  given     PROBTEST_REPLAY={selection}\n  help      write PROBTEST_REPLAY={} to replay this test alone, or unset it to test the claim",
                Selection::of(address, test)
            ));
        }
        terminal::shout_once(&format!(
            "probtest: execution {address} of {test} passed\n  note   one execution is not the plan: unset PROBTEST_REPLAY to test the claim"
        ));
        return Ok(());
    }
    reason(Reason::Rejections {
        allowed: REJECTIONS_IN_A_ROW,
        in_a_row: true,
    })
}

/// Refuses an outcome that is not among the first so many.
pub(super) fn unknown_outcome(
    index: u64,
    listed: usize,
) -> impl Fn(&Observation) -> Option<(String, String)> {
    move |shown| {
        let outcome = match shown {
            Observation::Outcome(outcome) if *outcome >= listed => Some(*outcome),
            Observation::Unlisted if listed == 0 => None,
            _ => return None,
        };
        let reason = Reason::UnknownOutcome {
            index,
            outcome,
            listed,
        };
        Some(reason_words(&reason, 0))
    }
}
