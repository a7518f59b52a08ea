//! Many passes at once: the same as one after the other?

use probtest::claim::Claim;
use probtest::judge::{Counts, Judge, Limits, Verdict};
use probtest::plan::Plan;
use probtest::run::{Observation, Record, Violation};

fn judge(max_executions: Option<u64>) -> Judge {
    let plan = Plan::new(&Claim::detect(0.1, 0.05).unwrap()).unwrap();
    assert_eq!(plan.executions(), 29);
    let limits = Limits {
        max_executions,
        ..Limits::default()
    };
    Judge::new(&plan, limits)
}

fn record(index: u64, observation: Observation) -> Record {
    Record {
        index,
        rejected: 0,
        drew: true,
        observation,
    }
}

/// Observes runs of passes, at once or one by one, and says after each whether to go on.
fn observed(mut judge: Judge, runs: &[u64], at_once: bool) -> (Vec<bool>, Verdict, Counts, bool) {
    let mut first = 1;
    let mut went_on = Vec::new();
    for &count in runs {
        let flow = if at_once {
            judge.observe_passes(first, count)
        } else {
            (first..first + count)
                .try_for_each(|index| judge.observe(record(index, Observation::Passed)))
        };
        went_on.push(flow.is_continue());
        first += count;
    }
    let drew = judge.drew();
    let (verdict, counts) = judge.conclude();
    (went_on, verdict, counts, drew)
}

#[test]
fn runs_of_passes_come_to_the_same_as_single_passes() {
    let runs: [&[u64]; 9] = [
        &[29],
        &[28],
        &[28, 1],
        &[30],
        &[1, 27, 1],
        &[10, 10, 10],
        &[10, 19],
        &[u32::MAX as u64],
        &[12, 1, 1],
    ];
    for max_executions in [None, Some(1), Some(13), Some(29), Some(100)] {
        for runs in runs {
            let one_by_one = observed(judge(max_executions), runs, false);
            let at_once = observed(judge(max_executions), runs, true);
            assert_eq!(at_once, one_by_one, "{max_executions:?}, {runs:?}");
        }
    }
}

#[test]
fn no_pass_is_counted_after_the_decision() {
    let mut judge = judge(None);
    let violation = Observation::Violated(Box::new(Violation::new("no")));
    assert!(judge.observe_passes(1, 4).is_continue());
    assert!(judge.observe(record(5, violation)).is_break());
    assert!(judge.observe_passes(6, 10).is_break());
    assert!(judge.observe_passes(6, 0).is_break());
    assert_eq!(judge.counts().executed, 5);
    assert_eq!(judge.counts().passed, 4);
}
