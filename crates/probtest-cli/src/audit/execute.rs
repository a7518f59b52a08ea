//! Executing what an audit hands out: one process for each execution.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use probtest::audit::{Audit, Made, NextOrder, Order, Outcome};
use probtest::report::audit_name;

use super::suite::Test;
use crate::output::Failure;
use crate::program::{Background, Capture, Ending, ExecutionSeed, Program, Running, Watch};

/// How often the clock is looked at.
const TICK: Duration = Duration::from_millis(20);

/// How many executions run at the same time, and how long all of them and each may take.
pub struct Limits {
    pub jobs: usize,
    pub time: Duration,
    pub timeout: Option<Duration>,
}

/// Executes until the audit is done, its time is over or somebody stops it.
pub fn execute(
    audit: Audit,
    suite: &[Test],
    limits: &Limits,
    say: &dyn Fn(&str),
) -> Result<Audit, Failure> {
    let running = Running::new(limits.timeout);
    let _watch = Watch::start(&running, false)
        .map_err(|error| Failure::Unfinished(format!("the audit could not start: {error}")))?;
    let began = Instant::now();
    let (shared, ended) = (Mutex::new(audit), Condvar::new());
    let locked = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        let mut audit = locked();
        loop {
            match audit.next(began.elapsed()) {
                NextOrder::Done => return,
                NextOrder::Wait => {
                    let waited = ended.wait_timeout(audit, TICK);
                    audit = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                NextOrder::Order(order) => {
                    drop(audit);
                    let made = make(&suite[order.test], &order, &running);
                    audit = locked();
                    audit.observe(&order, made);
                    ended.notify_all();
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..limits.jobs).map(|_| scope.spawn(work)).collect();
        while !workers.iter().all(|worker| worker.is_finished()) {
            if running.cancel.is_cancelled() {
                locked().interrupt();
            }
            if began.elapsed() >= limits.time {
                running.stop();
            }
            for test in locked().news() {
                say(&format!("{}: {}", audit_name(&test), test.summary));
            }
            std::thread::sleep(TICK);
        }
    });
    Ok(shared.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Executes an order: one execution, since each has a process of its own.
fn make(test: &Test, order: &Order, running: &Arc<Running>) -> Made {
    let began = Instant::now();
    let broken = |why: String| Some(Outcome::NotRun(why));
    let around = test.surroundings();
    let executed = Program::find(Some(&around.folder), &test.words()).map(|mut program| {
        program.variables.clone_from(&around.variables);
        let told = ExecutionSeed { seed: order.seeds[0], execution: 1 };
        Background::new(program, Arc::clone(running), false)?.execute(told, look)
    });
    let seen = match executed {
        Ok(Ok(seen)) => seen,
        Ok(Err(error)) => broken(error.to_string()),
        Err(error) => broken(error.to_string()),
    };
    Made {
        cut: seen.is_none(),
        seen: seen.into_iter().collect(),
        seconds: began.elapsed().as_secs_f64(),
        ..Made::default()
    }
}

/// What an execution did; none where the audit has ended it.
fn look(ending: Ending, capture: &Capture) -> Option<Outcome> {
    if matches!(ending, Ending::Stopped) {
        return None;
    }
    if let Some(why) = ending.broken() {
        return Some(Outcome::NotRun(why.to_string()));
    }
    let wrote = String::from_utf8_lossy(&capture.bytes()).into_owned();
    Some(match ending.violation(None) {
        Some(words) => Outcome::Failed(message(&wrote).unwrap_or(words)),
        None => passed(&capture.stdout_text()),
    })
}

/// What an execution did that ended with exit code 0, by what its harness wrote.
fn passed(stdout: &str) -> Outcome {
    // The harness has the last word: a test may write lines of others that it has started.
    let mut results = stdout.lines().rev();
    let result = results.find_map(|line| line.strip_prefix("test result: "));
    let begin = stdout.lines().find(|line| !line.is_empty());
    match (result, begin) {
        // A binary that knows no such test has executed nothing.
        (Some(result), _) if result.starts_with("ok. 0 passed") => {
            Outcome::NotRun("the binary lists it, and does not execute it".into())
        }
        (None, Some("running 1 test")) => {
            Outcome::Failed("it left its process with exit code 0, before it had a result".into())
        }
        // Other harnesses may say nothing.
        _ => Outcome::Passed,
    }
}

/// What a test said when it failed, in one line: its panic with the place, or the error that it returned.
fn message(wrote: &str) -> Option<String> {
    panic_message(wrote).or_else(|| {
        let mut lines = wrote.lines().rev();
        let said = ["Error: ", "note: test did not panic"];
        let line = lines.find(|line| said.iter().any(|begin| line.starts_with(begin)))?;
        Some(line.trim_start_matches("note: ").to_owned())
    })
}

fn panic_message(wrote: &str) -> Option<String> {
    let mut lines = wrote.lines().skip_while(|line| !line.contains("panicked at "));
    let place = lines.next()?.split_once("panicked at ")?.1.trim_end_matches(':');
    let said = lines.next().unwrap_or_default().trim();
    Some(format!("{said}, at {place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_in_one_line() {
        let wrote = "running 1 test\n\nthread 'walk' (71) panicked at src/lib.rs:4:9:\nit fell\nnote: run\n";
        assert_eq!(message(wrote).as_deref(), Some("it fell, at src/lib.rs:4:9"));
        assert_eq!(message("nothing"), None);
        let wrote = "---- err stdout ----\nError: Odd(7)\n\n\nfailures:\n    err\n";
        assert_eq!(message(wrote).as_deref(), Some("Error: Odd(7)"));
    }

    #[test]
    fn a_pass_is_one_of_the_harness_itself() {
        let run = |count, middle: &str, result| {
            let passed = format!("\nrunning {count}\n{middle}");
            match result {
                Some(result) => format!("{passed}\ntest result: {result}; 0 failed; 0 ignored\n"),
                None => passed,
            }
        };
        let own = run("0 tests", "", Some("ok. 0 passed"));
        assert!(matches!(passed(&own), Outcome::NotRun(_)));
        // Of a suite that the test has started.
        let inner = run("1 test", &own, Some("ok. 1 passed"));
        assert_eq!(passed(&inner), Outcome::Passed);
        assert!(matches!(passed(&run("1 test", "", None)), Outcome::Failed(_)));
        assert_eq!(passed(""), Outcome::Passed);
    }
}
