//! Tapes, addresses and seeds as text: read, and written back unchanged.
#![no_main]

use std::fmt::Display;
use std::str::FromStr;

use libfuzzer_sys::fuzz_target;
use probtest::machine::{Executor, Serial, TestRun};
use probtest::run::{Observation, Violation};
use probtest::seed::{Address, InputCode, RunSeed, Selection, Tape};
use probtest::{Settings, TestRng};

fn again<T: FromStr + Display + PartialEq>(text: &str) -> Option<T> {
    let read: T = text.parse().ok()?;
    let written = read.to_string();
    assert!(written.parse().is_ok_and(|again: T| again == read), "{written}");
    Some(read)
}

fuzz_target!(|text: &str| {
    again::<Address>(text);
    again::<Selection>(text);
    again::<RunSeed>(text);
    // Text that isn't a tape provides the words of one, and the codes of its inputs.
    let tape = again::<Tape>(text).unwrap_or_else(|| {
        let word = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        let words: Vec<u64> = text.as_bytes().chunks(5).map(word).collect();
        let codes = words.chunks(3).map(<[u64]>::to_vec).collect();
        let attempt = words.len() as u64 % 3;
        Tape::new(words).with_inputs(InputCode { attempt, codes })
    });
    again::<Tape>(&tape.to_string()).expect("a tape that is written is read");
    let claim = probtest::detect(0.5).claim().expect("a claim");
    let address = "7:3".parse().expect("an address");
    let settings = Settings::new("fuzz").seed(7).replay(address).tape(tape);
    let Ok(mut run) = TestRun::begin(&claim, settings) else {
        return;
    };
    let mut body = |rng: &mut TestRng| match rng.draw_u64() > rng.draw_u32().into() {
        true => Observation::Passed,
        false => Observation::Violated(Box::new(Violation::new("below"))),
    };
    Serial::new(&mut body).execute(&mut run);
    let _ = run.finish().to_string();
});
