//! Inputs from strategies of proptest, drawn by its own runner.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use proptest::arbitrary::{Arbitrary, any};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, Reason, RngAlgorithm, TestRng, TestRunner};

use super::Drawing;
use crate::seed::Smaller;

/// How many values filters may refuse in one draw: what proptest allows, whatever the environment
/// says, because inputs depend on the seed alone.
const LOCAL_REJECTS: u32 = 65_536;

/// A tree, by the numbers that it was made of.
type KeptTree = ([u64; 4], Box<dyn Any>);

thread_local! {
    /// The runner that is not in use: it takes longer to make than a small input.
    static RUNNER: Cell<Option<Box<TestRunner>>> = const { Cell::new(None) };
    /// The last tree that was walked in.
    static KEPT: Cell<Option<KeptTree>> = const { Cell::new(None) };
    /// The strategies of parameters, by the closure that makes them.
    static MADE: RefCell<Vec<(TypeId, Rc<dyn Any>)>> = const { RefCell::new(Vec::new()) };
}

/// Draws an input from a proptest strategy.
///
/// The input is made from this execution's own numbers, separate from those of `rng`. So it doesn't
/// change what the program draws, and it is the same when you replay the execution. After a
/// violation, the input is shrunk while the program's numbers are kept, and the report shows it. If
/// a strategy's filters refuse as many values in one draw as proptest allows in a test (65,536),
/// the test is inconclusive: going on without the inputs that are hard to draw would test different
/// ones.
///
/// A parameter of a test does the same: `#[strategy(vec(0..9, 0..5))] xs: Vec<i32>`.
///
/// ```
/// use probtest::{Claim, Settings};
/// use proptest::collection::vec;
/// use rand::seq::SliceRandom;
///
/// let claim = Claim::detect(0.05, 0.05)?;
/// let report = probtest::check(&claim, Settings::new("shuffle"), |rng| {
///     let mut xs = probtest::draw(vec(0..100u32, 0..50));
///     let sum: u32 = xs.iter().sum();
///     xs.shuffle(rng);
///     assert_eq!(xs.iter().sum::<u32>(), sum);
/// })?;
/// assert!(report.passed());
/// # Ok::<(), probtest::Error>(())
/// ```
///
/// # Panics
/// Outside the body of a test.
#[track_caller]
pub fn draw<S: Strategy>(strategy: S) -> S::Value {
    let drawing = Drawing::begin("");
    match drawing.source.code() {
        None => drawn(&drawing, &strategy),
        Some(code) => walked(&drawing, &strategy, code, &mut None),
    }
}

/// Draws a parameter from a strategy that is made once on each thread.
#[track_caller]
pub fn input<S, M>(name: &'static str, make: M) -> S::Value
where
    S: Strategy<Tree: 'static> + 'static,
    M: Fn() -> S + 'static,
{
    let drawing = Drawing::begin(name);
    let kind = TypeId::of::<M>();
    let known = MADE.with_borrow(|made| {
        let found = made.iter().find(|(other, _)| *other == kind);
        found.map(|(_, strategy)| Rc::clone(strategy))
    });
    let strategy = known.and_then(|strategy| strategy.downcast::<S>().ok());
    let strategy = strategy.unwrap_or_else(|| {
        let strategy = Rc::new(drawing.make(make));
        MADE.with_borrow_mut(|made| made.push((kind, Rc::clone(&strategy) as Rc<dyn Any>)));
        strategy
    });
    let Some(code) = drawing.source.code() else {
        return drawn(&drawing, &*strategy);
    };
    let seed = drawing.source.block(0);
    let kept = KEPT.take().filter(|(other, _)| *other == seed);
    let mut kept = kept.and_then(|(_, tree)| tree.downcast().ok().map(|tree| *tree));
    let value = walked(&drawing, &*strategy, code, &mut kept);
    KEPT.set(kept.map(|tree: WalkedTree<S::Tree>| (seed, Box::new(tree) as Box<dyn Any>)));
    value
}

/// Draws a parameter without a strategy.
#[track_caller]
pub fn any_input<T>(name: &'static str) -> T
where
    T: Arbitrary<Strategy: Strategy<Tree: 'static> + 'static> + 'static,
{
    input(name, any::<T>)
}

fn drawn<S: Strategy>(drawing: &Drawing, strategy: &S) -> S::Value {
    made(drawing, || Ok(tree(drawing, strategy)?.current()))
}

/// Makes an input, or leaves the body if filters refuse too often.
fn made<T>(drawing: &Drawing, make: impl FnOnce() -> Result<T, Reason>) -> T {
    drawing.make(make).unwrap_or_else(|why| {
        drawing.fail(&format!(
            "its filters rejected {LOCAL_REJECTS} values in one draw, which is too many ({why})"
        ))
    })
}

/// A tree, and the steps that were made in it.
struct WalkedTree<T> {
    tree: T,
    steps: Vec<u64>,
}

/// Draws while a violation is explained, after the steps of the code. Starts from a tree that has
/// made the first of them, if there is one: inputs are made smaller by a step at a time.
#[cold]
fn walked<S: Strategy>(
    drawing: &Drawing,
    strategy: &S,
    code: Vec<u64>,
    kept: &mut Option<WalkedTree<S::Tree>>,
) -> S::Value {
    let begun = kept.take().and_then(|kept| Some((rest(&kept.steps, &code)?, kept.tree)));
    let (left, mut tree) =
        begun.unwrap_or_else(|| (code.clone(), made(drawing, || tree(drawing, strategy))));
    let (value, ended) = drawing.make(|| {
        let ended = !walk(&mut tree, &left);
        (tree.current(), ended)
    });
    if !ended {
        *kept = Some(WalkedTree { tree, steps: code.clone() });
    }
    drawing.record(&value, code, Smaller::Steps { ended });
    value
}

/// What is left of some steps after the first of them; none where those are others.
fn rest(done: &[u64], steps: &[u64]) -> Option<Vec<u64>> {
    let Some((last, before)) = done.split_last() else {
        return Some(steps.to_vec());
    };
    let mut left = steps.to_vec();
    let run = left.get_mut(before.len())?;
    *run = run.checked_sub(*last)?;
    if steps[..before.len()] != *before {
        return None;
    }
    left[..before.len()].fill(0);
    Some(left)
}

/// Takes steps to simpler values and back, in turn; says whether all could be made.
fn walk(tree: &mut impl ValueTree, code: &[u64]) -> bool {
    code.iter().enumerate().all(|(turn, steps)| {
        (0..*steps).all(|_| match turn % 2 {
            0 => tree.simplify(),
            _ => tree.complicate(),
        })
    })
}

/// Makes the tree of a draw; a reason if filters refuse too often.
fn tree<S: Strategy>(drawing: &Drawing, strategy: &S) -> Result<S::Tree, Reason> {
    let words = drawing.source.block(0);
    // Of the generators that proptest has, the one that begins at once: ChaCha makes 256 bytes
    // before it gives the first, which takes longer than many an input.
    let mut seed = [0; 16];
    for (bytes, word) in seed.chunks_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let begin = || TestRng::from_seed(RngAlgorithm::XorShift, &seed);
    let draw = |mut runner: Box<TestRunner>| {
        *runner.rng() = begin();
        let tree = strategy.new_tree(&mut runner)?;
        // Where nothing was drawn, the next number is the first one.
        let next = number(&mut runner);
        *runner.rng() = begin();
        if next != number(&mut runner) {
            drawing.drew();
        }
        RUNNER.set(Some(runner));
        Ok(tree)
    };
    let used = RUNNER.take().and_then(|runner| draw(runner).ok());
    // What filters have refused adds up over the life of a runner.
    used.map_or_else(|| draw(fresh_runner()), Ok)
}

/// Draws a number. By a strategy, as the traits of generators are others in each version.
fn number(runner: &mut TestRunner) -> Option<u64> {
    let tree = proptest::num::u64::ANY.new_tree(runner);
    tree.ok().map(|tree| tree.current())
}

fn fresh_runner() -> Box<TestRunner> {
    Box::new(TestRunner::new(Config {
        max_local_rejects: LOCAL_REJECTS,
        failure_persistence: None,
        ..Config::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::rest;

    #[test]
    fn steps_that_were_made_are_not_made_again() {
        assert_eq!(rest(&[], &[2, 1]), Some(vec![2, 1]));
        assert_eq!(rest(&[2], &[3]), Some(vec![1]));
        assert_eq!(rest(&[2, 1], &[2, 3, 4]), Some(vec![0, 2, 4]));
        for (done, steps) in [(&[3][..], &[2][..]), (&[1, 1], &[2, 1]), (&[2, 1], &[2])] {
            assert_eq!(rest(done, steps), None);
        }
    }
}
