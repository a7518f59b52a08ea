//! Inputs of types that implement `arbitrary`'s trait, made from bytes.

use std::fmt::Debug;

use ::arbitrary::{Arbitrary, Unstructured};

use super::{Drawing, reject};
use crate::seed::Smaller;

/// The bytes for a type that doesn't say how many it takes, and the most for one that does.
const USUAL: usize = 1024;
const MOST: usize = 1 << 16;

/// Draws an input of a type that implements the `arbitrary` crate's trait, as fuzzers do. It is
/// made from this execution's own bytes, separate from the numbers of `rng`.
///
/// If no value can be made from the bytes, the execution is rejected. After a violation, the bytes
/// are shrunk like a tape. A parameter of a test does the same: `#[arbitrary] order: Order`.
///
/// ```
/// use probtest::{Claim, Settings};
///
/// #[derive(Debug, arbitrary::Arbitrary)]
/// struct Order {
///     items: Vec<u8>,
///     express: bool,
/// }
///
/// let claim = Claim::detect(0.05, 0.05)?;
/// let report = probtest::check(&claim, Settings::new("orders"), |_| {
///     let order: Order = probtest::arbitrary();
///     assert!(order.items.len() < 1000 || order.express);
/// })?;
/// assert!(report.passed());
/// # Ok::<(), probtest::Error>(())
/// ```
///
/// # Panics
/// Outside the body of a test.
#[track_caller]
pub fn arbitrary<T: for<'a> Arbitrary<'a> + Debug>() -> T {
    drawn(Drawing::begin(""))
}

/// Draws a parameter.
#[track_caller]
pub fn arbitrary_input<T: for<'a> Arbitrary<'a> + Debug>(name: &'static str) -> T {
    drawn(Drawing::begin(name))
}

fn drawn<T: for<'a> Arbitrary<'a> + Debug>(drawing: Drawing) -> T {
    let (least, most) = T::size_hint(0);
    let size = most.unwrap_or(least.saturating_add(USUAL)).min(MOST);
    let code = drawing.source.code();
    let bytes: Vec<u8> = match code.as_deref() {
        // Each word is a byte, followed by zeros after the last.
        Some(words @ [_, ..]) => {
            let bytes = words.iter().map(|word| *word as u8);
            bytes.chain(std::iter::repeat(0)).take(size).collect()
        }
        _ => {
            let blocks = (0..).flat_map(|block| drawing.source.block(block));
            blocks.flat_map(u64::to_le_bytes).take(size).collect()
        }
    };
    let made = drawing.make(|| {
        let mut rest = Unstructured::new(&bytes);
        let made = T::arbitrary(&mut rest).ok();
        if rest.len() < size {
            drawing.drew();
        }
        made
    });
    let Some(value) = made else { reject() };
    if let Some(code) = code {
        // Trailing zeros are implied.
        let length = bytes.iter().rposition(|byte| *byte != 0);
        let words = bytes.iter().take(length.map_or(0, |last| last + 1));
        let words = words.map(|byte| u64::from(*byte)).collect();
        drawing.record(&value, code, Smaller::Words(words));
    }
    value
}
