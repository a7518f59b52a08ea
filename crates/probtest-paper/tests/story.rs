//! The smallest executions that show the paper's bugs, compared with all smaller ones.

use std::convert::Infallible;
use std::time::Duration;

use probtest::machine::{Executor, Serial, TestRun};
use probtest::run::{Observation, Violation};
use probtest::seed::Tape;
use probtest::{Claim, Settings, TestRng};
use probtest_paper::reinforcement::{Agent, Demand, Property as Demanded, World, lake};
use probtest_paper::skip_list::{Bug, Parameters, Property, Scene, Subject};

/// Draws for which zero is the largest: if a small number raises a tower, a tape of zeros leaves
/// all of them at the bottom.
struct Reversed<'a>(&'a mut TestRng);

impl rand::TryRng for Reversed<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(!self.0.draw_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(!self.0.draw_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.draw_bytes(bytes);
        Ok(())
    }
}

/// Whether an execution that plays this tape violates.
fn violates(tape: &Tape, body: &mut dyn FnMut(&mut TestRng) -> Observation) -> bool {
    let claim = Claim::detect(0.5, 0.5).unwrap();
    let settings = Settings::new("tape").replay("1:1".parse().unwrap());
    let mut run = TestRun::begin(&claim, settings.tape(tape.clone())).unwrap();
    Serial::new(body).execute(&mut run);
    run.finish().violation().is_some()
}

/// Whether any tape of this many draws violates in which fewer than `matter` aren't zero, and those
/// are the largest.
fn smaller_violates(
    draws: usize,
    matter: usize,
    body: &mut dyn FnMut(&mut TestRng) -> Observation,
) -> bool {
    assert!(draws < 24, "{draws} draws are too many to try all");
    (0_u32..1 << draws).filter(|places| (places.count_ones() as usize) < matter).any(|places| {
        let word = |place| u64::MAX * u64::from(places >> place & 1);
        violates(&Tape::new((0..draws).map(word).collect()), body)
    })
}

fn observe(checked: Result<(), String>) -> Observation {
    match checked {
        Ok(()) => Observation::Passed,
        Err(message) => Observation::Violated(Box::new(Violation::new(message))),
    }
}

#[test]
fn the_towers_that_are_left_of_bugs_3_and_7_are_as_few_as_any_that_show_them() {
    // With three levels a tower is at the top after two tosses: two towers for bug 3, four for 7.
    for (bug, keys, raised) in
        [(Bug::TopLevelIsDropped, vec![1, 2], 4), (Bug::SearchReturnsTheNext, vec![1, 2, 3, 4], 8)]
    {
        let subject = Subject::new(Some(bug), Parameters::PAPER);
        let body = |property: &Property, rng: &mut TestRng| {
            let mut rng = Reversed(rng);
            observe((property.check)(&mut Scene::new(&subject, &keys, &mut rng)))
        };
        let settings = || Settings::new("towers").seed(7).shrink_time(Duration::from_secs(600));
        let claim = Claim::detect(0.0001, 0.001).unwrap();
        let shown = Property::ALL.iter().find_map(|property| {
            let found = probtest::check(&claim, settings(), |rng| body(property, rng)).unwrap();
            found.story().cloned().map(|story| (property, story))
        });
        let (property, story) = shown.expect("a property finds the bug");
        assert!(story.holds && story.complete, "{story:?}");
        assert_eq!(story.matter as usize, raised, "{} {story:?}", property.name);
        let smaller =
            smaller_violates(story.small as usize, raised, &mut |rng| body(property, rng));
        assert!(!smaller, "{}", property.name);
    }
}

#[test]
fn the_shortest_fall_on_the_lake_is_found() {
    // Going right on the ice, the agent falls by slipping down from the second field: every tape of
    // three kinds of draws is tried.
    let dynamics = World::SmallLake.dynamics();
    let agent = Agent::new(&dynamics, vec![lake::RIGHT; dynamics.states()]);
    let property = Demanded { demand: Demand::NeverFalls, steps: 100 };
    let body = |rng: &mut TestRng| match property.holds(&agent, rng) {
        true => Observation::Passed,
        false => Observation::Violated(Box::new(Violation::new("fell"))),
    };
    let claim = Claim::detect(0.001, 0.001).unwrap();
    let settings = Settings::new("lake").seed(7).shrink_time(Duration::from_secs(600));
    let report = probtest::check(&claim, settings, body).unwrap();
    let story = report.story().unwrap();
    assert!(story.holds && story.complete);
    let (draws, matter) = (story.small as usize, story.matter as usize);
    assert!(draws <= 8, "{story:?}");
    let thirds = [0, u64::MAX / 2, u64::MAX];
    for number in 0..3_usize.pow(draws as u32) {
        let word = |place: usize| thirds[number / 3_usize.pow(place as u32) % 3];
        let tape = Tape::new((0..draws).map(word).collect());
        let fewer = tape.matter() < matter;
        assert!(!(fewer && violates(&tape, &mut |rng| body(rng))), "{tape:?}");
    }
}
