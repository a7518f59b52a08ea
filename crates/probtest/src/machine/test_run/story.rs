//! After a violation: the smallest execution that shows the same, and the draws that decide.

use std::time::{Duration, Instant};

use super::{Phase, TestRun};
use crate::judge::{Finding, Verdict};
use crate::machine::input_shrinker::InputShrinker;
use crate::machine::shrinker::Shrinker;
use crate::machine::{Attempt, Flow, Next, Range};
use crate::report::{Decider, Story, inputs_of, set_small, told, untold};
use crate::run::{Observation, Record, Site, Violation};
use crate::seed::{Address, Drawn, InputCode, MOST_KEPT, Playing, Stream, Tape, TestRng};

/// An execution may draw this many times as much as the one that it is made from, and some
/// more, before it is given up: zeros can make a loop endless.
const MORE: usize = 2;
const SOME: usize = 64;
/// The most parts of the draws that are looked at for whether they decide.
const PARTS: usize = 32;
/// How often each of them is drawn again.
const REDRAWN: u64 = 40;
/// The most draws of the small execution whose place is looked for.
const TRACED: usize = 500;

/// What is told about a violation, and how far that has come.
pub(super) struct Telling {
    pub(super) verdict: Verdict,
    violation: Violation,
    address: Address,
    attempt: u64,
    stream: Stream,
    /// The draws of the execution itself.
    drawn: Vec<u64>,
    shrinker: Shrinker,
    /// The inputs of the execution itself.
    inputs: InputCode,
    input_shrinker: InputShrinker,
    doing: Doing,
    handed_out: bool,
    until: Instant,
    time: Duration,
    executions: u64,
    pub(super) story: Story,
}

/// What the next execution is for.
enum Doing {
    /// What was drawn, to see that it shows the violation again.
    Check,
    /// A smaller input, with the draws of the program kept.
    Inputs(Option<InputCode>),
    /// A smaller tape.
    Shrink(Option<Tape>),
    /// Where the draws of the smallest one come from.
    Trace,
    /// Whether a part of the draws decides.
    Redraw { part: usize, time: u64 },
}

impl Telling {
    fn new(
        verdict: Verdict,
        violation: Violation,
        record: &Record,
        drawn: Drawn,
        stream: Stream,
        time: Duration,
    ) -> Self {
        let input_shrinker = InputShrinker::new(drawn.inputs);
        let inputs = input_shrinker.best().code();
        let mut story = Story {
            draws: drawn.words.len() as u64,
            unseen: drawn.unseen,
            holds: true,
            inputs: inputs_of(input_shrinker.best()),
            ..Story::default()
        };
        let drawn = drawn.words;
        set_small(&mut story, &drawn, input_shrinker.best(), Vec::new());
        Telling {
            verdict,
            violation,
            address: Address { seed: record.seed, index: record.index },
            attempt: record.attempt,
            stream,
            story,
            shrinker: Shrinker::new(drawn.clone()),
            drawn,
            inputs,
            input_shrinker,
            doing: Doing::Check,
            handed_out: false,
            until: Instant::now() + time,
            time,
            executions: 0,
        }
    }

    /// Says which execution to make next; none when everything is told.
    pub(super) fn next(&mut self) -> Option<Next<Range>> {
        if self.handed_out {
            return Some(Next::Wait);
        }
        if !self.story.holds || self.drawn.is_empty() && self.inputs.codes.is_empty() {
            return None;
        }
        if matches!(self.doing, Doing::Inputs(_)) {
            let until = Instant::now() + self.left_for_inputs();
            let inputs = self.input_shrinker.next(|| Instant::now() >= until);
            let inputs = inputs.filter(|_| Instant::now() < until);
            self.doing = match inputs {
                Some(inputs) => Doing::Inputs(Some(inputs)),
                None => Doing::Shrink(None),
            };
        }
        if matches!(self.doing, Doing::Shrink(_)) {
            let until = self.until;
            let tape = self.shrinker.next(|| Instant::now() >= until);
            self.doing = match tape {
                Some(tape) => Doing::Shrink(Some(tape)),
                None => Doing::Trace,
            };
        }
        if let Doing::Redraw { part, time } = self.doing {
            let over = Instant::now() >= self.until;
            if over && time > 0 {
                // How far it came depends on how long executions take, which those may that pass.
                self.story.deciders.pop();
            }
            if over || part >= self.parts().len() {
                return None;
            }
        }
        self.handed_out = true;
        Some(Next::Attempt(Range {
            stream: self.stream,
            first: self.address.index,
            last: self.address.index,
            attempt: self.attempt,
        }))
    }

    fn playing(&self) -> Playing {
        let most = self.drawn.len().saturating_mul(MORE).saturating_add(SOME);
        let (tape, traced) = match &self.doing {
            Doing::Check => (Tape::new(self.drawn.clone()), false),
            Doing::Inputs(inputs) => {
                return Playing {
                    tape: None,
                    inputs: inputs.clone(),
                    shrinks_inputs: Some(self.left_for_inputs()),
                    most,
                    gives_up: true,
                    traced: false,
                };
            }
            Doing::Shrink(tape) => (tape.clone().unwrap_or_default(), false),
            Doing::Trace => {
                let best = self.shrinker.best();
                (Tape::new(best.to_vec()), Tape::new(best.to_vec()).matter() <= TRACED)
            }
            Doing::Redraw { part, time } => (self.redrawn(*part, *time), false),
        };
        let own = matches!(self.doing, Doing::Check | Doing::Redraw { .. });
        Playing {
            tape: Some(tape),
            inputs: Some(match own {
                true => self.inputs.clone(),
                false => self.input_shrinker.best().code(),
            }),
            shrinks_inputs: None,
            most,
            gives_up: true,
            traced,
        }
    }

    /// How long inputs may be made smaller from now on: draws that matter take the other half.
    fn left_for_inputs(&self) -> Duration {
        let left = self.until.saturating_duration_since(Instant::now());
        left.saturating_sub(self.time / 2)
    }

    /// The parts of the draws that are looked at, each with its first and its last.
    fn parts(&self) -> Vec<(usize, usize)> {
        let size = self.drawn.len().div_ceil(PARTS).max(1);
        (0..self.drawn.len())
            .step_by(size)
            .map(|first| (first, (first + size).min(self.drawn.len()) - 1))
            .collect()
    }

    /// The execution's own draws but for a part that is drawn again.
    fn redrawn(&self, part: usize, time: u64) -> Tape {
        let (first, last) = self.parts()[part];
        let number = part as u64 * REDRAWN + time;
        let mut fresh = self.stream.apart(self.address.index, number);
        let mut words = self.drawn.clone();
        for word in &mut words[first..=last] {
            *word = fresh.draw_u64();
        }
        Tape::new(words)
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.handed_out
    }

    /// Hands out again what will not be answered.
    pub(super) fn lose(&mut self) {
        self.handed_out = false;
    }

    /// The verdict, and what is known of the story.
    pub(super) fn end(mut self) -> (Verdict, Story) {
        if self.story.holds
            && matches!(self.doing, Doing::Inputs(_) | Doing::Shrink(_) | Doing::Trace)
        {
            self.story.executions = self.executions;
            self.tell_small(Vec::new());
        }
        (self.verdict, told(self.story))
    }

    /// Tells of the smallest execution so far, and where its draws come from.
    fn tell_small(&mut self, sites: Vec<(usize, Site)>) {
        let inputs = self.input_shrinker.best();
        set_small(&mut self.story, self.shrinker.best(), inputs, sites);
    }

    fn observe(&mut self, observation: &Observation, drawn: Drawn) {
        self.handed_out = false;
        self.executions += 1 + drawn.executions;
        let observation = observation.plain();
        let same = match observation {
            Observation::Violated(violation) => violation.is_like(&self.violation),
            _ => false,
        };
        match &mut self.doing {
            Doing::Check => {
                self.story.holds = same;
                self.doing = Doing::Inputs(None);
            }
            Doing::Inputs(_) => {
                let same = same && !drawn.gave_up;
                self.input_shrinker.observe(drawn.inputs, same);
                if same {
                    self.shrinker = Shrinker::new(drawn.words);
                }
            }
            Doing::Shrink(_) => {
                let shown = (same && !drawn.gave_up).then_some(drawn.words);
                self.shrinker.observe(shown);
            }
            Doing::Trace => {
                self.story.complete = self.shrinker.is_done() && self.input_shrinker.is_done();
                self.story.executions = self.executions;
                let sites = drawn.places.iter();
                let sites = sites.map(|place| (place.number, Site::of(place)));
                self.tell_small(sites.collect());
                self.until = Instant::now() + self.time / 2;
                self.doing = Doing::Redraw { part: 0, time: 0 };
            }
            Doing::Redraw { part, time } => {
                let (part, last) = (*part, *time + 1 == REDRAWN);
                self.doing = match last {
                    true => Doing::Redraw { part: part + 1, time: 0 },
                    false => Doing::Redraw { part, time: *time + 1 },
                };
                let (first, last) = self.parts()[part];
                let counted =
                    !matches!(observation, Observation::Rejected | Observation::Broken(_));
                let passed = counted && !matches!(observation, Observation::Violated(_));
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

impl TestRun<'_> {
    /// Whether the draws of what is handed out next are to be seen: an executor that can opens
    /// its source by [`TestRun::open`], or does itself what [`TestRun::playing`] says, and tells
    /// of it by [`TestRun::observe_seen`].
    pub fn is_seen(&self) -> bool {
        match self.phase {
            Phase::Plan => false,
            // It is played whether or not anything is made smaller.
            Phase::Alone(_) => self.tape.is_some(),
            _ => !self.shrink_time.is_zero() && self.why_untold().is_none(),
        }
    }

    /// Says why an executor cannot make executions again only to explain one, so that the report
    /// of a violation does.
    pub fn tell_no_story(&mut self, why: &'static str) {
        self.untold = Some(why);
    }

    fn why_untold(&self) -> Option<&'static str> {
        let paced = self.pacing.as_ref();
        self.untold.or_else(|| paced?.why_not_repeated())
    }

    /// The story of a verdict that could not be told, where one would have been.
    pub(super) fn untold_story(&self, verdict: Option<&Verdict>) -> Option<Story> {
        let one = matches!(
            verdict,
            Some(Verdict::Violated(Finding::Execution { .. } | Finding::Rate { .. }))
        );
        let asked = one && !self.shrink_time.is_zero() && self.confirmed != Some(false);
        let why = self.why_untold().filter(|_| asked)?;
        Some(untold(format!("{why}, and probtest repeats none just to explain one")))
    }

    /// Whether what is handed out next only explains a violation that is known.
    pub fn is_telling(&self) -> bool {
        matches!(self.phase, Phase::Story(_))
    }

    /// Opens the source of an attempt outside of the plan: its inputs are kept, and its draws
    /// where they are to be seen.
    pub fn open(&self, attempt: &Attempt) -> TestRng {
        if !self.is_seen() {
            return attempt.rng().on_tray(None);
        }
        let playing = self.playing();
        let rng = attempt.rng().on_tray(playing.inputs.clone());
        rng.on_tape(playing)
    }

    /// What an attempt whose draws are to be seen has to do with them.
    pub fn playing(&self) -> Playing {
        match &self.phase {
            Phase::Story(telling) => telling.playing(),
            phase => {
                let tape = match phase {
                    Phase::Alone(_) => self.tape.clone(),
                    Phase::Remembered { current, .. } => {
                        current.as_ref().and_then(|(_, tape)| tape.clone())
                    }
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

    /// Takes what an attempt outside of the plan did and what it drew.
    #[cold]
    pub fn observe_seen(&mut self, record: Record, drawn: Drawn) -> Flow {
        if self.verdict.is_some() {
            return Flow::Done;
        }
        if let Phase::Story(telling) = &mut self.phase {
            if let Some(explaining) = &mut self.explaining {
                explaining(None);
            }
            telling.observe(&record.observation, drawn);
            return self.flow();
        }
        let told = match record.observation.plain() {
            Observation::Violated(violation) => Some((record.clone(), (**violation).clone())),
            _ => None,
        };
        let explains = self.is_seen() && !matches!(self.phase, Phase::Alone(_));
        self.keep_inputs(&drawn);
        let flow = self.observe(record);
        if explains
            && let Some((record, violation)) = told
            && self.verdict.as_ref().is_some_and(Verdict::is_violated)
            && let Some(verdict) = self.verdict.take()
        {
            let stream = self.stream_of(record.seed);
            let telling =
                Telling::new(verdict, violation, &record, drawn, stream, self.shrink_time);
            self.took = Some(self.lookout.elapsed());
            self.phase = Phase::Story(Box::new(telling));
            return self.flow();
        }
        flow
    }

    /// Keeps the inputs of an attempt outside of the plan for the report.
    pub(in crate::machine) fn keep_inputs(&mut self, drawn: &Drawn) {
        self.inputs = inputs_of(&drawn.inputs);
    }

    /// Says which execution to make next for the story; ends the test when it is told.
    #[cold]
    pub(super) fn next_of_story(&mut self) -> Next<Range> {
        let Phase::Story(telling) = &mut self.phase else {
            return Next::Done;
        };
        let next = telling.next().unwrap_or(Next::Done);
        if let (Next::Attempt(_), Some(explaining)) = (&next, &mut self.explaining) {
            explaining(Some((telling.address, &telling.violation.message)));
        }
        next
    }
}
