//! `probtest replay`: execute one execution of `run` again, alone.

use std::io::IsTerminal;
use std::path::PathBuf;

use probtest::judge::{Reason, Verdict};
use probtest::machine::{Executor, Serial, TestRun};
use probtest::run::Observation;
use probtest::seed::Address;
use probtest::settings::DEFAULT_EPSILON;
use probtest::{Claim, Settings, TestRng};
use probtest_facts::{ReplayFacts, Verdict as VerdictFacts, Version};

use crate::compare::{self, GitFlags};
use crate::flags::warn_of_variables;
use crate::output::{Exit, Failure, print_json, say, unfinished};
use crate::processes::{EndingFlags, Tested, each};
use crate::program::{ExecutionSeed, Program, Watchdog, in_foreground};
use crate::report;

/// Reruns a single execution of `probtest run` or `probtest compare`, with this terminal
/// as its stdin, stdout and stderr. Exits with 0 if it passes and 1 if it violates; for two
/// versions, with 1 if only the new one violates
#[derive(clap::Args)]
#[command(
    after_help = "Give the same command as in the run: the seed of an execution depends on it.
With --json, what the program writes to stdout goes to stderr.

Examples:
  probtest replay 0x5eed:9 -- ./simulate --seed {seed}
  probtest replay 0x5eed:9 --timeout 5s -- python3 test_walk.py
  probtest replay --explain results.json"
)]
pub struct ReplayOptions {
    /// The execution, as shown in the report
    #[arg(value_name = "SEED:INDEX", required_unless_present = "explain")]
    address: Option<String>,

    /// Run nothing, and show everything that the results know about the violation: every
    /// draw that matters, and every part of the draws that was redrawn. Results are files
    /// written by PROBTEST_REPORT, --probtest-json or `probtest run --json`, or folders of them
    #[arg(long, value_name = "RESULTS", num_args = 1.., conflicts_with_all = ["command", "json"])]
    explain: Vec<PathBuf>,

    #[command(flatten)]
    git: GitFlags,

    #[command(flatten)]
    endings: EndingFlags,

    /// Write the result as one JSON object
    #[arg(long)]
    pub json: bool,

    /// The program and its arguments, after `--`
    #[arg(last = true, required_unless_present = "explain", value_name = "COMMAND")]
    command: Vec<String>,
}

/// How often failed infrastructure is tried again: somebody is waiting for this one execution.
const RETRIES: u64 = 3;

pub fn run(options: &ReplayOptions) -> Result<Exit, Failure> {
    let address = options.address.as_deref().map(str::parse::<Address>).transpose()?;
    if !options.explain.is_empty() {
        return report::explain(&options.explain, address);
    }
    warn_of_variables();
    let Some(address) = address else {
        return Err(Failure::given(
            "there is no execution to replay",
            "no address",
            "give it as the report shows it, such as 0x5eed:9",
        ));
    };
    let endings = options.endings.read()?;
    // Removes what was checked out when this function ends.
    let versions = options.git.check_out(&options.command, false)?;
    let tested = match versions.is_some() || compare::is_pair(&options.command) {
        true => compare::tested(versions.as_ref(), &options.command, false)?,
        false => Tested::one(&options.command)?,
    };
    let running = endings.running();
    let on_terminal = std::io::stdin().is_terminal();
    let _watch =
        Watchdog::start(&running, on_terminal).map_err(unfinished("it could not be started"))?;
    let (mut rejected, mut before, mut told, mut unstartable) = (0, None, None, None);
    let mut body = |rng: &mut TestRng| {
        match before {
            Some(Observation::Rejected) => {
                rejected += 1;
                say(format!("rejected {rejected}, retried"));
            }
            Some(Observation::Unavailable { .. }) => say("its infrastructure failed, retried"),
            _ => {}
        }
        let now = ExecutionSeed::of(rng);
        told = Some(now);
        let observation = each(&tested.programs, rng, |program: &Program, which| {
            say(format!(
                "execution {address}{which}: PROBTEST_SEED={} PROBTEST_EXECUTION={}",
                now.seed, now.execution
            ));
            let ending = in_foreground(program, &running, now, !on_terminal, options.json);
            unstartable = unstartable.take().or(ending.unstartable(program.word()));
            endings.observe(&ending, || None)
        });
        before = Some(observation.clone());
        observation
    };
    // Alone, an execution is looked at for itself, whatever was claimed.
    let claim = Claim::detect("1/2", DEFAULT_EPSILON)?;
    let settings =
        Settings::new(tested.id.clone()).flags().replay(address).max_unavailable(RETRIES);
    let mut run = TestRun::begin(&claim, settings)?;
    Serial::new(&mut body).execute(&mut run);
    let report = run.finish();
    if let Some(failure) = unstartable {
        return Err(failure);
    }
    let rejected = report.counts().rejected;
    let (exit, verdict, message) = match report.verdict() {
        Verdict::Violated(_) => {
            let message = report.violation().map(|violation| violation.message.clone());
            (Exit::Violated, VerdictFacts::Violated, message)
        }
        Verdict::Inconclusive(Reason::Replayed { .. }) => {
            (Exit::Passed, VerdictFacts::Passed, None)
        }
        undecided => {
            let message = match undecided {
                Verdict::Inconclusive(Reason::Broken { message, .. }) => message.clone(),
                Verdict::Inconclusive(Reason::Unavailable { .. }) => report.refusal().0,
                _ => format!("rejected {rejected} times in a row"),
            };
            (Exit::Unfinished, VerdictFacts::Inconclusive, Some(message))
        }
    };
    let because = message.as_ref().map_or(String::new(), |m| format!(": {m}"));
    say(format!("execution {address} {verdict}{because}"));
    if options.json {
        print_json(&ReplayFacts {
            probtest: Version,
            verdict,
            address: address.to_string(),
            seed: address.seed.to_string(),
            index: address.index,
            execution_seed: told.map(|told| told.seed),
            rejected,
            message,
        })?;
    }
    Ok(exit)
}
