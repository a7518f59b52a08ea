//! One test, from its options to its verdict; the same for every claim and every body.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use super::disk::{self, Notebook, PROGRAM};
use super::environment::{self, Environment};
use super::patience::{self, Patience};
use super::place::{Origin, TestPlace};
use super::{registry, terminal};
use crate::claim::{Claim, Error};
use crate::judge::{Doubt, Finding, Reason, Verdict};
use crate::machine::{Executor, Journal, Serial, SharedBody, TestRun, on_threads};
use crate::report::{ANY_INDEX, Note, Report, long_run, plural, refusal_facts};
use crate::run::{ExitGuard, Guarded};
use crate::seed::{Address, RunSeed, Selection, Tape};
use crate::settings::{Given, GivenBy, Settings, Suite, TimeLimit};

/// What a test says about itself.
#[derive(Debug)]
pub(super) struct CargoTest {
    pub(super) id: String,
    origin: Origin,
    pub(super) given: Given,
    pub(super) own_randomness: bool,
    pub(super) should_panic: bool,
}

/// Limits of time, and what is left of each.
type TimesLeft = Vec<(TimeLimit, Duration)>;

/// The body of a test: how it is called, and how it waits where it is async.
#[derive(Clone, Copy)]
pub(super) struct Body<'a> {
    /// Whether it returns nothing that could be an outcome.
    pub(super) silent: bool,
    pub(super) called: SharedBody<'a>,
    #[cfg(feature = "tokio")]
    pub(super) waiting: Option<crate::machine::AsyncBody<'a>>,
    #[cfg(feature = "shuttle")]
    pub(super) scheduled: Option<&'a crate::run::ScheduledBody>,
}

impl<'a> Body<'a> {
    /// A body that is called.
    pub(super) fn called(silent: bool, called: SharedBody<'a>) -> Self {
        Body {
            silent,
            called,
            #[cfg(feature = "tokio")]
            waiting: None,
            #[cfg(feature = "shuttle")]
            scheduled: None,
        }
    }

    /// Adds what follows from the schedules of a run to what was given, and returns the time and
    /// the cost of measuring them.
    #[cfg_attr(
        not(feature = "shuttle"),
        expect(unused_variables, clippy::unused_self, reason = "only schedules are measured")
    )]
    fn measure(
        &self,
        given: &mut Given,
        seed: RunSeed,
        times: impl FnOnce(&Given) -> Result<Option<TimesLeft>, Error>,
    ) -> Result<(Duration, f64), Error> {
        #[cfg(feature = "shuttle")]
        if let Some(scheduled) = self.scheduled
            && let Some(measured) = scheduled.measured(seed, limits(given, times(given)?)?)?
        {
            let others = ["p", "tolerate", "outcomes"];
            if let Some(name) = others.into_iter().find(|name| given.has_of_test(name)) {
                return Err(Error::new(
                    "with pct, p follows from the depth, so the test cannot set a claim of its own",
                    name,
                    format!("leave `{name}` out, or write `schedules = random`"),
                ));
            }
            use crate::settings::{OnBudget, OptionValue};
            given.set("p", GivenBy::Test, measured.p().map(OptionValue::Probability));
            if measured.violated.is_some() {
                // A limit must not end before the execution that is known to violate, and pass.
                given.set("on_budget", GivenBy::Test, Ok(OptionValue::OnBudget(OnBudget::Fail)));
            }
            return Ok((measured.time, measured.cost));
        }
        Ok((Duration::ZERO, 0.0))
    }

    fn waits(&self) -> bool {
        #[cfg(feature = "tokio")]
        return self.waiting.is_some();
        #[cfg(not(feature = "tokio"))]
        return false;
    }

    #[cfg_attr(not(feature = "tokio"), expect(unused_variables, reason = "only async bodies wait"))]
    #[cfg_attr(
        not(any(feature = "tokio", feature = "shuttle")),
        expect(unused_mut, reason = "only these need more than threads")
    )]
    fn execute(&self, mut run: TestRun<'_>, jobs: usize, concurrency: Option<u64>) -> Report {
        #[cfg(feature = "tokio")]
        if let (Some(most), Some(waiting)) = (concurrency, self.waiting) {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            crate::machine::AtOnce::new(most, waiting).execute(&mut run);
            return run.finish();
        }
        #[cfg(feature = "shuttle")]
        if let Some(scheduled) = self.scheduled {
            crate::machine::Threads::new(jobs, self.called).execute(&mut run);
            let seed = run.seed();
            let mut report = run.finish();
            if let Ok(Some(measured)) = scheduled.measured(seed, Default::default()) {
                report.add_note(Note::Schedules {
                    depth: measured.depth,
                    threads: measured.threads,
                    steps: measured.steps,
                });
            }
            return report;
        }
        on_threads(run, jobs, self.called)
    }
}

/// What is said where an execution that only explains a violation does not end.
fn hangs(test: &str, address: Address, message: &str) -> String {
    let message = message.lines().next().unwrap_or_default();
    let seconds = patience::LONG.as_secs();
    format!(
        "probtest: {test}: violated at execution {} with seed {}: {message}\n  \
        shrinking takes a long time: an execution with smaller random numbers or inputs has been running for {seconds} s\n  \
        help      if it never ends, stop the test and set PROBTEST_SHRINK=no to see the report",
        address.index, address.seed
    )
}

/// What measuring may take; without limits where there is no time, as one execution runs alone.
#[cfg(feature = "shuttle")]
fn limits(given: &Given, times: Option<TimesLeft>) -> Result<crate::run::MeasuringLimits, Error> {
    let limits =
        crate::run::MeasuringLimits { inputs: given.count("inputs")?, ..Default::default() };
    let Some(times) = times else {
        return Ok(limits);
    };
    Ok(crate::run::MeasuringLimits {
        time: times.into_iter().min_by_key(|(_, left)| *left),
        cost: given.max_cost()?,
        rejections: given.count("max_rejections")?,
        interval: given.rate()?.map_or(Duration::ZERO, |rate| rate.interval()),
        ..limits
    })
}

struct PreparedTest {
    /// The time and the cost of what came before the first execution.
    measuring: (Duration, f64),
    claim: Claim,
    suite: Suite,
    given: Given,
}

impl CargoTest {
    pub(super) fn new(id: String, file: &'static str) -> Self {
        CargoTest {
            id,
            origin: Origin { place: None, file },
            given: Given::default(),
            own_randomness: false,
            should_panic: false,
        }
    }

    /// A test of the attribute, with the options that are literals.
    pub(super) fn at(place: &'static TestPlace, file: &'static str) -> Self {
        let mut test = CargoTest::new(place.id(), file);
        test.origin.place = Some(*place);
        for (name, text) in place.given {
            test.given.read(name, GivenBy::Test, text);
        }
        test
    }

    pub(super) fn check(&self, body: Body<'_>) {
        let guard = self.guard();
        let ended = self.selected().and_then(|selection| match selection {
            Some(selection) => Ok(self.alone(selection, body)?.map(|()| None)),
            None => Ok(Ok(Some(self.planned(body)?))),
        });
        drop(guard);
        match ended {
            Ok(Ok(Some(report))) => self.print_or_fail(&report),
            Ok(Ok(None)) => {}
            Ok(Err(text)) => fail(&text, text.clone(), self.should_panic),
            Err(error) => self.refuse(&error),
        }
    }

    pub(super) fn report(&self, body: Body<'_>) -> Result<Report, Error> {
        let _guard = self.guard();
        let Some(selection) = self.selected()? else {
            return self.planned(body);
        };
        let begun = self.begin(body, selection.address.seed, true)?;
        let settings = self.replaying(selection)?;
        let run = TestRun::begin(&begun.claim, settings.suite(begun.suite.clone()))?;
        let mut report = on_threads(run, 1, body.called);
        self.add_lines(&mut report, &begun, None);
        Ok(report)
    }

    /// Makes leaving the process a failure from now on.
    fn guard(&self) -> ExitGuard {
        ExitGuard::new(Guarded {
            test: self.id.clone(),
            command: (!self.own_randomness).then(|| self.origin.invocation().command()),
        })
    }

    /// Returns the execution of this test that is to run alone, if any.
    fn selected(&self) -> Result<Option<Selection>, Error> {
        match environment::of_process()?.given.replay()? {
            Some(selection) if !selection.covers(&self.id) => {
                terminal::shout_once(&format!(
                    "probtest: PROBTEST_REPLAY={selection} names another test; {} runs as usual",
                    self.id
                ));
                Ok(None)
            }
            Some(selection) if self.own_randomness => Err(Error::new(
                "the executions of this test cannot be replayed",
                format!("PROBTEST_REPLAY={}", selection.address),
                "let the body take `rng: &mut TestRng` and pass it on to the program",
            )),
            selection => Ok(selection),
        }
    }

    /// What the test and its run say.
    fn gather(&self) -> Result<Given, Error> {
        let mut given = self.given.clone();
        given.extend(&environment::of_process()?.given);
        Ok(given)
    }

    /// Reads the claim of a run with this seed, and what the test is part of.
    fn begin(&self, body: Body<'_>, seed: RunSeed, alone: bool) -> Result<PreparedTest, Error> {
        let mut given = self.gather()?;
        // Only where it is needed: the clock of the suite begins with the first look at it.
        let times = |given: &Given| {
            let used = (!alone).then(environment::since_the_first_test);
            used.map(|used| given.times(used, self.remaining(given)?)).transpose()
        };
        let measuring = body.measure(&mut given, seed, times)?;
        let claim = given.claim()?;
        Settings::new(self.id.clone()).check_body(&claim, body.silent)?;
        Ok(PreparedTest { measuring, claim, suite: registry::suite(&given, &self.origin)?, given })
    }

    /// How many tests share the time of the suite that is left.
    fn remaining(&self, given: &Given) -> Result<u64, Error> {
        registry::remaining(given, &self.origin, &self.id)
    }

    fn planned(&self, body: Body<'_>) -> Result<Report, Error> {
        let (environment, given) = (environment::of_process()?, self.gather()?);
        let fixed = given.seed()?;
        let journal = self.journal(&given, environment)?;
        let begun_with = journal.as_ref().and_then(Journal::seed);
        // While one test is replayed the others use its seed: one of them may be part of it.
        let replayed = given.replay()?.map(|replay| replay.address.seed);
        let seed = fixed.or(begun_with).or(replayed);
        let seed = seed.unwrap_or_else(|| *environment::SEED);
        let begun = self.begin(body, seed, false)?;
        if self.given.has_of_test("concurrency") && !body.waits() {
            return Err(Error::new(
                "concurrency needs an async body, and this one is not async",
                "concurrency",
                "write #[probtest(concurrency = ..)] on an `async fn`, or leave out concurrency; use jobs for threads",
            ));
        }
        // One execution does not break every claim: then none is remembered.
        let remembers = begun.claim.has_counterexamples() && !self.own_randomness;
        let open = || Notebook::open(&environment.memory, &self.origin.key(), &self.id);
        let notebook = remembers.then(open).flatten();
        let (time, cost) = begun.measuring;
        let settings = self.settings(&begun, seed)?.after(time, cost);
        let mut remembered = notebook.as_ref().map(Notebook::read).unwrap_or_default();
        // Under a fixed seed only what belongs to it runs first: whether the
        // test passes then depends on the seed alone, not on what is on the disk.
        remembered.retain(|kept| fixed.is_none_or(|seed| seed == kept.address.seed));
        let unchanged =
            !remembered.is_empty() && notebook.as_ref().is_some_and(Notebook::is_of_this_program);
        let tapes = remembered.iter();
        let tapes = tapes.filter_map(|kept| Some((kept.address, kept.tape.clone()?)));
        let settings = settings
            .remembered_tapes(tapes.collect())
            .remembered(remembered.iter().map(|kept| kept.address).collect())
            .unchanged(unchanged);
        let mut run = TestRun::begin(&begun.claim, settings)?;
        if let Some(journal) = journal {
            run.keep(journal)?;
        }
        if let Some(folder) = &environment.report {
            // If the process dies, this stays, and not the report of an earlier run.
            disk::write_report(folder, &self.origin, &self.id, true, run.unfinished_facts());
        }
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = begun.given.jobs(cores)?;
        let mut report = body.execute(run, jobs, begun.given.count("concurrency")?);
        self.add_lines(&mut report, &begun, notebook.as_ref());
        self.add_part_lines(&mut report, &begun);
        disk::remember(&report, notebook.as_ref());
        if notebook.is_some_and(|notebook| notebook.committed) {
            // They always run first, so a pass is no news.
            report.forget_what_passed();
        }
        if let Some(folder) = &environment.report {
            let mut facts = report.facts();
            facts.code = begun.given.text("journal_key")?;
            disk::write_report(folder, &self.origin, &self.id, report.accepted(), facts);
        }
        Ok(report)
    }

    /// Opens the journal, where there is to be one.
    fn journal(&self, given: &Given, environment: &Environment) -> Result<Option<Journal>, Error> {
        let Some(folder) = &environment.journal else {
            return Ok(None);
        };
        let code = given.text("journal_key")?.or_else(|| PROGRAM.clone());
        let shard = given.shard()?;
        let journal = Journal::open(folder, &self.origin.key(), &self.id, shard, code)?
            .of(self.origin.package(), self.origin.target_name());
        if let Some(news) = journal.news() {
            terminal::shout(&format!("probtest: {}: {news}", self.id));
        }
        Ok(Some(journal))
    }

    /// Adds the lines to copy that the report of all shards together may have.
    fn add_part_lines(&self, report: &mut Report, begun: &PreparedTest) {
        if self.own_randomness || report.shard().is_none() {
            return;
        }
        let invocation = self.origin.invocation();
        let any = Address { seed: report.seed(), index: ANY_INDEX };
        let replay = invocation.replay(any, &self.id, None, &self.needed(begun));
        let rerun = invocation.rerun(report.seed(), None, &begun.given.claiming_variables());
        report.set_part_lines(Some(replay), Some(rerun), true);
    }

    /// The variables that a line needs because the test alone does not say its claim.
    fn needed(&self, begun: &PreparedTest) -> Vec<(String, String)> {
        match self.given.claim() {
            Ok(_) => Vec::new(),
            Err(_) => begun.given.claiming_variables(),
        }
    }

    fn settings(&self, begun: &PreparedTest, seed: RunSeed) -> Result<Settings<'static>, Error> {
        let settings = Settings::new(self.id.clone()).suite(begun.suite.clone());
        let used = environment::since_the_first_test();
        let remaining = self.remaining(&begun.given)?;
        let mut settings = begun.given.settings(settings, &begun.claim, used, remaining)?;
        let (test, mut told) = (self.id.clone(), false);
        settings = settings.progress(move |progress| {
            // libtest shows nothing of a test that has not ended.
            if !told && let Some(words) = long_run(&progress) {
                told = true;
                terminal::shout(&format!("probtest: {test}: {words}"));
            }
        });
        let mut patience = Patience::new(patience::LONG, terminal::shout);
        let test = self.id.clone();
        settings.explaining = Some(Box::new(move |begins| match begins {
            Some((address, message)) => patience.begin(|| hangs(&test, address, message)),
            None => patience.end(),
        }));
        settings.own_randomness = self.own_randomness;
        Ok(settings.seed(seed.0))
    }

    /// Adds the lines to copy, where there is something to look at again.
    fn add_lines(&self, report: &mut Report, begun: &PreparedTest, notebook: Option<&Notebook>) {
        if self.own_randomness || report.accepted() && report.time_limit().is_none() {
            return;
        }
        let invocation = self.origin.invocation();
        if let Some(address) = report.address()
            && report.time_limit().is_none()
        {
            let needed = self.needed(begun);
            let with_tape = |tape: &Tape| {
                let tape = disk::tape_or_file(tape, notebook)?;
                Some(invocation.replay(address, &self.id, Some(&tape), &needed))
            };
            report.set_story_line(with_tape);
            let line = match report.played() {
                Some(tape) => with_tape(tape),
                None => Some(invocation.replay(address, &self.id, None, &needed)),
            };
            return report.set_replay(line);
        }
        // As many executions as time has left.
        let executed = report.counts().executed;
        let cut = report.time_limit().map(|_| executed);
        let again = cut.is_some()
            || report.claim().is_about_returned()
            // What it depends on may come again with the executions before it.
            || report.confirmed() == Some(false)
            || matches!(
                report.verdict(),
                Verdict::Violated(Finding::Unseen { .. })
                    | Verdict::Inconclusive(Reason::Rejections { .. })
            );
        if again {
            let claimed = begun.given.claiming_variables();
            report.set_rerun(Some(invocation.rerun(report.seed(), cut, &claimed)));
        }
    }

    /// One execution alone. It fails when something panics that the body does not see: it may
    /// be what a strict run has found, and it is what one replays for.
    fn replaying(&self, selection: Selection) -> Result<Settings<'static>, Error> {
        let settings = Settings::new(self.id.clone()).replay(selection.address).strict(true);
        Ok(match environment::of_process()?.given.tape()? {
            Some(tape) => settings.tape(tape),
            None => settings.shrink_time(Duration::ZERO),
        })
    }

    /// Runs one execution alone. A panic in the body is an ordinary panic; a body that
    /// returns `false` or `Err` panics here. The inner error says why the execution decides
    /// nothing. It passes only where the test is named: an address alone reaches every test,
    /// and a whole suite would be green after one execution of each.
    fn alone(&self, selection: Selection, body: Body<'_>) -> Result<Result<(), String>, Error> {
        let begun = self.begin(body, selection.address.seed, true)?;
        let (address, test) = (selection.address, &self.id);
        let on_tape = match environment::of_process()?.given.tape()? {
            Some(tape) => format!(", with a tape of {}", plural(tape.words().len() as u64, "draw")),
            None => String::new(),
        };
        terminal::shout_once(&format!(
            "probtest: replaying execution {} of seed {} of {test} alone{on_tape}",
            address.index, address.seed
        ));
        let settings = self.replaying(selection)?;
        let mut run = TestRun::begin(&begun.claim, settings)?;
        let made = catch_unwind(AssertUnwindSafe(|| {
            Serial::uncaught(&mut |rng| (body.called)(rng)).execute(&mut run);
        }));
        let report = run.finish();
        let drew = format!("probtest: execution {address} of {test} drew");
        if let Some(inputs) = report.inputs_below(&drew) {
            terminal::shout_once(&inputs);
        }
        if let Err(payload) = made {
            resume_unwind(payload);
        }
        if let Some(returned) = report.returned() {
            // libtest would hide it in a test that passes, and it is what one replays for.
            terminal::shout(&format!("probtest: returned {returned}"));
        }
        if let Some(violation) = report.violation() {
            panic!("{}", violation.message);
        }
        if !matches!(report.verdict(), Verdict::Inconclusive(Reason::Replayed { .. })) {
            let (why, help) = report.refusal();
            return Ok(Err(format!(
                "probtest: {why}\n  given     PROBTEST_REPLAY={selection}\n  help      {help}"
            )));
        }
        if !selection.names_a_test() {
            return Ok(Err(format!(
                "probtest: execution {address} of {test} passed, but that is not the plan, and PROBTEST_REPLAY names no test\n  given     PROBTEST_REPLAY={selection}\n  help      write PROBTEST_REPLAY={} to replay this test alone, or unset it to test the claim",
                Selection::of(address, test)
            )));
        }
        terminal::shout_once(&format!(
            "probtest: execution {address} of {test} passed\n  note   one execution is not the plan: unset PROBTEST_REPLAY to test the claim"
        ));
        Ok(Ok(()))
    }

    fn print_or_fail(&self, report: &Report) {
        if !report.accepted() {
            let undecided = matches!(report.verdict(), Verdict::Inconclusive(_));
            return fail(&report.to_string(), report.failure(), self.should_panic && undecided);
        }
        let (test, summary) = (report.test(), report.summary());
        let summary = summary.trim_start_matches("probtest: ");
        // Less than the claim, or nothing at all, and libtest would hide that.
        let warn = |words: &str| terminal::shout(&format!("probtest: warning: {test}: {words}"));
        if *report.verdict() == Verdict::Partial {
            terminal::shout(&format!("probtest: {test}: {summary}"));
        }
        if report.is_within_budget() {
            warn(summary);
        }
        for doubt in report.doubts() {
            let expected = match doubt {
                Doubt::Panicked { .. } => {
                    ", or call probtest::expect_panics() there if the panic is intended"
                }
                _ => "",
            };
            warn(&format!("{}{expected}", doubt.words()));
        }
        if report.notes().contains(&Note::AboveTolerate) {
            warn(&Note::AboveTolerate.words());
        }
        terminal::say(&report.to_string());
    }

    /// Fails a test that could not be started, also in the folder of reports, where an earlier pass
    /// may be.
    fn refuse(&self, error: &Error) {
        if let Some(folder) = &environment::READ.report {
            let facts = refusal_facts(&self.id, error);
            disk::write_report(folder, &self.origin, &self.id, false, facts);
        }
        let text = format!("probtest: error: {error}");
        fail(&text, text.clone(), self.should_panic);
    }
}

/// Fails the test with a text, or returns when returning is the failure: a test with
/// `#[should_panic]` asks for a violation, and one that could not be decided has shown none.
///
/// libtest looks in the payload for the words of `#[should_panic(expected = ..)]`, and the text has
/// the test's name in it; so a report has words of its own for that.
fn fail(text: &str, payload: String, by_returning: bool) {
    terminal::complain(text);
    if !by_returning {
        // The text is out; the hook would print it again.
        resume_unwind(Box::new(payload));
    }
}
