//! Draws the figures of the paper, and the page that sets our numbers beside the
//! published ones.
//!
//! - [`draw`]: shapes and texts to SVG and PNG;
//! - [`figures`]: one file for each figure; the numbers are those of
//!   [`probtest_studies`];
//! - [`page`]: the page `index.html` as HTML.
//!
//! Nothing here computes a count, prints, or writes a file.

pub mod draw;
pub mod figures;
pub mod page;

pub use draw::escaped;
