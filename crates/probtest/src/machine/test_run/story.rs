//! After a violation: the smallest execution that shows the same, and the draws that decide.

use std::time::{Duration, Instant};

use super::{Phase, TestRun};
use crate::judge::{Finding, Verdict};
use crate::machine::input_shrinker::InputShrinker;
use crate::machine::shrinker::Shrinker;
use crate::machine::{Attempt, Flow, Next, Range};
use crate::report::{Decider, Story, inputs_of, set_small, unexplained, with_words};
use crate::run::{Observation, Record, Site, Violation};
use crate::seed::{Address, Draws, InputCode, MOST_KEPT, Playing, Tape, TestRng};

/// An execution may draw this many times as much as the one that it is made from, and some
/// more, before it is given up: zeros can make a loop endless.
const MORE: usize = 2;
const SOME: usize = 64;
/// The most parts of the draws that are looked at for whether they decide.
const PARTS: usize = 32;
/// How often each of them is drawn again.
const REDRAWN: usize = 40;
/// The most draws of the small execution whose place is looked for.
const TRACED: usize = 500;

/// The explanation of a violation, as far as it has come.
pub(super) struct Explanation {
    verdict: Verdict,
    violation: Violation,
    /// The execution itself, and its draws.
    execution: Range,
    drawn: Vec<u64>,
    shrinker: Shrinker,
    inputs: InputCode,
    input_shrinker: InputShrinker,
    doing: ExplainingStep,
    pub(super) handed_out: bool,
    until: Instant,
    time: Duration,
    executions: u64,
    story: Story,
}

enum ExplainingStep {
    /// What was drawn, to see that it shows the violation again.
    Check,
    /// A smaller input, with the draws of the program kept.
    Inputs(InputCode),
    /// A smaller tape.
    Shrink(Tape),
    /// Where the draws of the smallest one come from.
    Trace,
    /// Whether a part of the draws decides: each is drawn again so many times, one after the other.
    Redraw(usize),
}

impl Explanation {
    fn new(
        verdict: Verdict,
        violation: Violation,
        execution: Range,
        drawn: Draws,
        time: Duration,
    ) -> Self {
        let input_shrinker = InputShrinker::new(drawn.inputs);
        let inputs = input_shrinker.best.code();
        let mut story = Story {
            draws: drawn.words.len() as u64,
            unseen: drawn.unseen,
            holds: true,
            inputs: inputs_of(&input_shrinker.best),
            ..Story::default()
        };
        let drawn = drawn.words;
        set_small(&mut story, &drawn, &input_shrinker.best, Vec::new());
        Explanation {
            verdict,
            violation,
            execution,
            story,
            shrinker: Shrinker::new(drawn.clone()),
            drawn,
            inputs,
            input_shrinker,
            doing: ExplainingStep::Check,
            handed_out: false,
            until: Instant::now() + time,
            time,
            executions: 0,
        }
    }

    fn next(&mut self) -> Next<Range> {
        if self.handed_out {
            return Next::Wait;
        }
        if !self.story.holds || self.drawn.is_empty() && self.inputs.codes.is_empty() {
            return Next::Done;
        }
        if matches!(self.doing, ExplainingStep::Inputs(_)) {
            let until = Instant::now() + self.left_for_inputs();
            let inputs = self.input_shrinker.next(|| Instant::now() >= until);
            let inputs = inputs.filter(|_| Instant::now() < until);
            self.doing = inputs
                .map_or_else(|| ExplainingStep::Shrink(Tape::default()), ExplainingStep::Inputs);
        }
        if matches!(self.doing, ExplainingStep::Shrink(_)) {
            let until = self.until;
            let tape = self.shrinker.next(|| Instant::now() >= until);
            self.doing = tape.map_or(ExplainingStep::Trace, ExplainingStep::Shrink);
        }
        if let ExplainingStep::Redraw(number) = self.doing {
            let over = Instant::now() >= self.until;
            if over && !number.is_multiple_of(REDRAWN) {
                // How far it came depends on how long executions take, which those may that pass.
                self.story.deciders.pop();
            }
            if over || self.part(number).is_none() {
                return Next::Done;
            }
        }
        self.handed_out = true;
        Next::Attempt(self.execution)
    }

    fn playing(&self) -> Playing {
        let own = || self.inputs.clone();
        let smallest = || self.input_shrinker.best.code();
        let (tape, inputs) = match &self.doing {
            ExplainingStep::Check => (Some(Tape::new(self.drawn.clone())), own()),
            ExplainingStep::Inputs(inputs) => (None, inputs.clone()),
            ExplainingStep::Shrink(tape) => (Some(tape.clone()), smallest()),
            ExplainingStep::Trace => (Some(Tape::new(self.shrinker.best.clone())), smallest()),
            ExplainingStep::Redraw(number) => (self.redrawn(*number), own()),
        };
        Playing {
            traced: matches!(self.doing, ExplainingStep::Trace)
                && tape.as_ref().is_some_and(|tape| tape.matter() <= TRACED),
            tape,
            inputs: Some(inputs),
            shrinks_inputs: matches!(self.doing, ExplainingStep::Inputs(_))
                .then(|| self.left_for_inputs()),
            most: self.drawn.len().saturating_mul(MORE).saturating_add(SOME),
            gives_up: true,
        }
    }

    /// How long inputs may be made smaller from now on: draws that matter take the other half.
    fn left_for_inputs(&self) -> Duration {
        let left = self.until.saturating_duration_since(Instant::now());
        left.saturating_sub(self.time / 2)
    }

    /// The first and the last draw of the part that is drawn again, if there is one.
    fn part(&self, number: usize) -> Option<(usize, usize)> {
        let (draws, part) = (self.drawn.len(), number / REDRAWN);
        let size = draws.div_ceil(PARTS).max(1);
        (part * size < draws).then(|| (part * size, (part * size + size).min(draws) - 1))
    }

    /// The execution's own draws but for a part that is drawn again.
    fn redrawn(&self, number: usize) -> Option<Tape> {
        let (first, last) = self.part(number)?;
        let mut fresh = self.execution.stream.apart(self.execution.first, number as u64);
        let mut words = self.drawn.clone();
        words[first..=last].fill_with(|| fresh.draw_u64());
        Some(Tape::new(words))
    }

    pub(super) fn end(mut self) -> (Verdict, Story) {
        if self.story.holds
            && matches!(
                self.doing,
                ExplainingStep::Inputs(_) | ExplainingStep::Shrink(_) | ExplainingStep::Trace
            )
        {
            self.story.executions = self.executions;
            self.tell_small(Vec::new());
        }
        (self.verdict, with_words(self.story))
    }

    fn tell_small(&mut self, sites: Vec<(usize, Site)>) {
        let inputs = &self.input_shrinker.best;
        set_small(&mut self.story, &self.shrinker.best, inputs, sites);
    }

    fn observe(&mut self, observation: &Observation, drawn: Draws) {
        self.handed_out = false;
        self.executions += 1 + drawn.executions;
        let observation = observation.plain();
        let same = match observation {
            Observation::Violated(violation) => violation.is_like(&self.violation),
            _ => false,
        };
        match &mut self.doing {
            ExplainingStep::Check => {
                self.story.holds = same;
                self.doing = ExplainingStep::Inputs(InputCode::default());
            }
            ExplainingStep::Inputs(_) => {
                let same = same && !drawn.gave_up;
                self.input_shrinker.observe(drawn.inputs, same);
                if same {
                    self.shrinker = Shrinker::new(drawn.words);
                }
            }
            ExplainingStep::Shrink(_) => {
                let shown = (same && !drawn.gave_up).then_some(drawn.words);
                self.shrinker.observe(shown);
            }
            ExplainingStep::Trace => {
                self.story.complete = self.shrinker.is_done() && self.input_shrinker.is_done();
                self.story.executions = self.executions;
                let sites = drawn.places.iter();
                let sites = sites.map(|place| (place.number, Site::of(place)));
                self.tell_small(sites.collect());
                self.until = Instant::now() + self.time / 2;
                self.doing = ExplainingStep::Redraw(0);
            }
            &mut ExplainingStep::Redraw(number) => {
                self.doing = ExplainingStep::Redraw(number + 1);
                let counted =
                    !matches!(observation, Observation::Rejected | Observation::Broken(_));
                let passed = counted && !observation.is_violated();
                if let Some((first, last)) = self.part(number) {
                    let (first, last) = (first as u64 + 1, last as u64 + 1);
                    let deciders = &mut self.story.deciders;
                    if deciders.last().is_none_or(|part| part.first != first) {
                        deciders.push(Decider { first, last, ..Decider::default() });
                    }
                    if let Some(part) = deciders.last_mut() {
                        part.redrawn += u64::from(counted);
                        part.passed += u64::from(passed);
                    }
                }
            }
        }
    }
}

impl TestRun<'_> {
    /// Whether to record the draws of what is handed out next. An executor that can do that opens
    /// the source with [`TestRun::open`], or does by itself what [`TestRun::playing`] says, and
    /// reports with [`TestRun::observe_seen`].
    pub fn is_seen(&self) -> bool {
        match self.phase {
            Phase::Plan => false,
            // It is played whether or not anything is made smaller.
            Phase::Alone(_) => self.tape.is_some(),
            _ => !self.settings.shrink_time.is_zero() && self.why_untold().is_none(),
        }
    }

    /// Notes why an executor can't repeat executions to explain one, so that the report of a
    /// violation says so.
    pub fn tell_no_story(&mut self, why: &'static str) {
        self.untold = Some(why);
    }

    fn why_untold(&self) -> Option<&'static str> {
        let paced = self.pacing.as_ref();
        self.untold.or_else(|| paced?.why_not_repeated())
    }

    /// Says why a violation is not explained, if it would have been.
    pub(super) fn untold_story(&self) -> Option<Story> {
        let one = matches!(
            self.verdict,
            Some(Verdict::Violated(Finding::Execution { .. } | Finding::Rate { .. }))
        );
        let asked = one && !self.settings.shrink_time.is_zero() && self.confirmed != Some(false);
        let why = self.why_untold().filter(|_| asked)?;
        Some(unexplained(format!(
            "{why}, so probtest does not repeat any just to explain this one"
        )))
    }

    /// Whether what is handed out next only explains a known violation.
    pub fn is_telling(&self) -> bool {
        matches!(self.phase, Phase::Story(_))
    }

    /// Opens the source of an attempt outside the plan, and records its inputs, and its draws if
    /// they are needed.
    pub fn open(&self, attempt: &Attempt) -> TestRng {
        if !self.is_seen() {
            return attempt.rng().on_tray(None);
        }
        let playing = self.playing();
        let rng = attempt.rng().on_tray(playing.inputs.clone());
        rng.on_tape(playing)
    }

    /// What an attempt has to do with its draws, if they are to be recorded.
    pub fn playing(&self) -> Playing {
        match &self.phase {
            Phase::Story(telling) => telling.playing(),
            phase => {
                let tape = match phase {
                    Phase::Alone(_) => self.tape.clone(),
                    Phase::Remembered(queue) => queue.front().and_then(|(_, tape)| tape.clone()),
                    _ => None,
                };
                Playing {
                    inputs: tape.as_ref().and_then(|tape| tape.inputs().cloned()),
                    tape,
                    shrinks_inputs: None,
                    // More than an execution draws that can have been made smaller.
                    most: MOST_KEPT,
                    gives_up: false,
                    traced: false,
                }
            }
        }
    }

    /// Takes what an attempt outside the plan did and what it drew.
    #[cold]
    pub fn observe_seen(&mut self, record: Record, drawn: Draws) -> Flow {
        if self.verdict.is_some() {
            return Flow::Done;
        }
        if let Phase::Story(telling) = &mut self.phase {
            if let Some(explaining) = &mut self.settings.explaining {
                explaining(None);
            }
            telling.observe(&record.observation, drawn);
            return self.flow();
        }
        let violation = match record.observation.plain() {
            Observation::Violated(violation) => Some((**violation).clone()),
            _ => None,
        };
        let execution = Range::one(self.stream_of(record.seed), record.index, record.attempt);
        let explains = self.is_seen() && !matches!(self.phase, Phase::Alone(_));
        self.keep_inputs(&drawn);
        let flow = self.observe(record);
        if explains
            && let Some(violation) = violation
            && let Some(verdict) = self.verdict.take_if(|verdict| verdict.is_violated())
        {
            let time = self.settings.shrink_time;
            let telling = Explanation::new(verdict, violation, execution, drawn, time);
            self.took = Some(self.lookout.elapsed());
            self.phase = Phase::Story(Box::new(telling));
            return self.flow();
        }
        flow
    }

    pub(in crate::machine) fn keep_inputs(&mut self, drawn: &Draws) {
        self.inputs = inputs_of(&drawn.inputs);
    }

    #[cold]
    pub(super) fn next_of_story(&mut self) -> Next<Range> {
        let Phase::Story(telling) = &mut self.phase else {
            return Next::Done;
        };
        let next = telling.next();
        if let (Next::Attempt(range), Some(explaining)) = (&next, &mut self.settings.explaining) {
            let address = Address { seed: range.stream.seed(), index: range.first };
            explaining(Some((address, &telling.violation.message)));
        }
        next
    }
}
