//! Makes inputs smaller while they still show the same, and keeps the program's random numbers.
//!
//! Says which inputs to try next and takes their results. It shrinks one draw after the other, each
//! in the way it asks for: by steps to simpler values and back, by words like a tape, or by the
//! code that drew it.

use super::shrinker::Shrinker;
use crate::seed::{InputCode, Inputs, Smaller};

/// The most steps for one draw: each step repeats all steps before it.
const MOST_STEPS: usize = 4096;

pub(super) struct InputShrinker {
    /// The smallest inputs so far.
    pub(super) best: Inputs,
    place: usize,
    way: DrawShrinking,
    asked: bool,
}

enum DrawShrinking {
    /// Not known yet.
    Begin,
    /// By these steps.
    Steps { path: Vec<u64>, count: usize },
    /// By words.
    Words(Box<Shrinker>),
    /// No further: it was tried, or the code that drew it was asked.
    Done,
}

impl InputShrinker {
    pub(super) fn new(drawn: Inputs) -> Self {
        InputShrinker { best: drawn, place: 0, way: DrawShrinking::Begin, asked: false }
    }

    pub(super) fn is_done(&self) -> bool {
        let cut = Smaller::Asked { cut: true };
        self.place >= self.best.drawn.len() && self.best.drawn.iter().all(|it| it.smaller != cut)
    }

    pub(super) fn next(&mut self, mut is_over: impl FnMut() -> bool) -> Option<InputCode> {
        loop {
            let smaller = &self.best.drawn.get(self.place)?.smaller;
            let code = match &mut self.way {
                DrawShrinking::Begin => {
                    self.way = match smaller {
                        Smaller::Steps { .. } => DrawShrinking::Steps { path: vec![1], count: 1 },
                        Smaller::Words(words) => {
                            DrawShrinking::Words(Box::new(Shrinker::new(words.clone())))
                        }
                        Smaller::Asked { .. } if !self.asked => {
                            (self.asked, self.way) = (true, DrawShrinking::Done);
                            return Some(self.best.code());
                        }
                        _ => DrawShrinking::Done,
                    };
                    continue;
                }
                DrawShrinking::Steps { count, .. } if *count > MOST_STEPS => None,
                DrawShrinking::Steps { path, .. } => Some(path.clone()),
                // No words would mean that the numbers of the stream stay.
                DrawShrinking::Words(shrinker) => {
                    shrinker.next(&mut is_over).map(|tape| match tape.words() {
                        [] => vec![0],
                        words => words.to_vec(),
                    })
                }
                DrawShrinking::Done => None,
            };
            let Some(code) = code else {
                self.pass_on();
                continue;
            };
            let mut made = self.best.code();
            made.codes[self.place] = code;
            return Some(made);
        }
    }

    fn pass_on(&mut self) {
        self.place += 1;
        self.way = DrawShrinking::Begin;
    }

    /// Takes what the execution with the last inputs drew, and whether it showed the same.
    pub(super) fn observe(&mut self, drawn: Inputs, same: bool) {
        let tried = drawn.drawn.get(self.place).map(|input| &input.smaller);
        match &mut self.way {
            DrawShrinking::Steps { .. } if tried == Some(&Smaller::Steps { ended: true }) => {
                return self.pass_on();
            }
            DrawShrinking::Steps { path, count } => {
                *count += 1;
                // Simplify after inputs that show the same, step back after others.
                let simplifies = path.len() % 2 == 1;
                match path.last_mut() {
                    Some(run) if simplifies == same => *run += 1,
                    _ => path.push(1),
                }
            }
            DrawShrinking::Words(shrinker) => shrinker.observe(match tried {
                Some(Smaller::Words(words)) if same => Some(words.clone()),
                _ => None,
            }),
            DrawShrinking::Begin | DrawShrinking::Done => {}
        }
        if same {
            self.best = drawn;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::InputDrawn;

    /// A number between a lower bound and the last one that showed the same, like proptest's tree.
    fn walk(start: u64, code: &[u64]) -> (u64, bool) {
        let (mut low, mut high, mut now) = (0, start, start);
        for (turn, steps) in code.iter().enumerate() {
            for _ in 0..*steps {
                if turn % 2 == 0 {
                    high = now;
                } else {
                    low = now + 1;
                }
                if low >= high {
                    return (now, true);
                }
                now = low + (high - low) / 2;
            }
        }
        (now, false)
    }

    fn drawn(starts: &[u64], made: &InputCode) -> Inputs {
        let code = |place: usize| made.codes.get(place).cloned().unwrap_or_default();
        let draw = |(place, start): (usize, &u64)| {
            let (value, ended) = walk(*start, &code(place));
            InputDrawn {
                name: place.to_string(),
                text: value.to_string(),
                code: code(place),
                smaller: Smaller::Steps { ended },
            }
        };
        Inputs { attempt: 0, drawn: starts.iter().enumerate().map(draw).collect() }
    }

    #[test]
    fn each_number_is_as_small_as_the_violation_lets_it_be() {
        for (first, second) in [(0, 0), (1, 5), (17, 0), (999, 1000)] {
            let starts = [1000, 1000];
            let mut shrinker = InputShrinker::new(drawn(&starts, &InputCode::default()));
            let mut executions = 0;
            while let Some(made) = shrinker.next(|| false) {
                let drawn = drawn(&starts, &made);
                let value = |place: usize| drawn.drawn[place].text.parse::<u64>().unwrap();
                let same = value(0) >= first && value(1) >= second;
                shrinker.observe(drawn, same);
                executions += 1;
            }
            let texts: Vec<&str> = shrinker.best.drawn.iter().map(|d| &*d.text).collect();
            assert_eq!(texts, [first.to_string(), second.to_string()]);
            assert!(executions < 50, "{executions} executions");
        }
    }

    #[test]
    fn words_are_made_smaller_as_a_tape_is() {
        let made = |words: Vec<u64>| {
            let mut all = words.clone();
            all.resize(4, 0);
            Inputs {
                attempt: 0,
                drawn: vec![InputDrawn {
                    code: words,
                    smaller: Smaller::Words(all),
                    ..InputDrawn::default()
                }],
            }
        };
        let mut shrinker = InputShrinker::new(made(vec![9, 8, 7, 6]));
        while let Some(code) = shrinker.next(|| false) {
            let drawn = made(code.codes[0].clone());
            let Smaller::Words(words) = &drawn.drawn[0].smaller else { unreachable!() };
            let same = words[2] > 3;
            shrinker.observe(drawn, same);
        }
        assert_eq!(shrinker.best.drawn[0].code, [0, 0, 4]);
    }

    #[test]
    fn whoever_draws_it_is_asked_once() {
        let inputs = |code: u64, cut: bool| Inputs {
            attempt: 0,
            drawn: (0..2)
                .map(|_| InputDrawn {
                    code: vec![code],
                    smaller: Smaller::Asked { cut },
                    ..InputDrawn::default()
                })
                .collect(),
        };
        for cut in [false, true] {
            let mut shrinker = InputShrinker::new(inputs(7, false));
            assert_eq!(shrinker.next(|| false), Some(inputs(7, false).code()));
            shrinker.observe(inputs(3, cut), true);
            assert_eq!(shrinker.next(|| false), None);
            assert_eq!(shrinker.is_done(), !cut);
            assert_eq!(shrinker.best, inputs(3, cut));
        }
    }
}
