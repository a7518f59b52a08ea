//! Inputs from strategies of proptest, drawn by its own runner.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use proptest::arbitrary::{Arbitrary, any};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::drawing::{Drawing, reject};
use crate::seed::Smaller;

/// How often a filter may refuse within one draw before the execution is rejected: a filter that
/// accepts nothing is then found out soon.
const LOCAL_REJECTS: u32 = 256;

thread_local! {
    /// The runner that is not in use: it takes longer to make than a small input.
    static RUNNER: Cell<Option<TestRunner>> = const { Cell::new(None) };
    /// The strategies of parameters, by the closure that makes them.
    static MADE: RefCell<Vec<(TypeId, Rc<dyn Any>)>> = const { RefCell::new(Vec::new()) };
}

/// Draws an input from a strategy of proptest.
///
/// It comes from numbers of this execution apart from those of `rng`, so it does not change
/// what the program draws, and it is the same when the execution is replayed. After a violation
/// the input is made smaller while the program's numbers are kept, and the report shows it. A
/// strategy that cannot be drawn from, since its filters refuse too much, rejects the execution.
///
/// Parameters of a test do the same: `#[strategy(vec(0..9, 0..5))] xs: Vec<i32>`.
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
    drawn(Drawing::begin(""), &strategy)
}

/// Draws a parameter from a strategy that is made once on each thread.
#[track_caller]
pub fn input<S: Strategy + 'static, M: Fn() -> S + 'static>(
    name: &'static str,
    make: M,
) -> S::Value {
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
    drawn(drawing, &*strategy)
}

/// Draws a parameter without a strategy.
#[track_caller]
pub fn any_input<T: Arbitrary + 'static>(name: &'static str) -> T
where
    T::Strategy: 'static,
{
    input(name, any::<T>)
}

fn drawn<S: Strategy>(drawing: Drawing, strategy: &S) -> S::Value {
    let tree = drawing.make(|| tree(&drawing, strategy));
    let Some(mut tree) = tree else { reject() };
    let Some(code) = drawing.source.code() else {
        return drawing.make(|| tree.current());
    };
    let (value, ended) = drawing.make(|| {
        let ended = !walk(&mut tree, &code);
        (tree.current(), ended)
    });
    drawing.tell(&value, code, Smaller::Steps { ended });
    value
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

/// Makes the tree of a draw; none where filters refuse too often.
fn tree<S: Strategy>(drawing: &Drawing, strategy: &S) -> Option<S::Tree> {
    let words = drawing.source.block(0);
    let mut seed = [0; 32];
    for (bytes, word) in seed.chunks_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let mut draw = |mut runner: TestRunner| {
        *runner.rng() = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let tree = strategy.new_tree(&mut runner).ok()?;
        RUNNER.set(Some(runner));
        Some(tree)
    };
    let used = RUNNER.take().and_then(&mut draw);
    // What filters have refused adds up over the life of a runner.
    used.or_else(|| draw(fresh_runner()))
}

fn fresh_runner() -> TestRunner {
    TestRunner::new(Config {
        max_local_rejects: LOCAL_REJECTS,
        failure_persistence: None,
        ..Config::default()
    })
}
