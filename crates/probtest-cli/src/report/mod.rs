//! `probtest report`: what a whole suite of tests says, for people.
//!
//! Reads the JSON that tests under cargo, pytest and `probtest run` have written,
//! puts the results of one test together, sorts them by what needs attention,
//! and writes text, HTML, Markdown, JUnit XML or JSON. Nothing here executes or
//! judges a test; verdicts are those of the files.
//!
//! input -> read -> result -> suite -> promise -> one file for each form

mod destination;
mod evidence;
mod explain;
mod html;
mod input;
mod json;
mod junit;
mod labels;
mod markdown;
mod merge;
mod options;
mod planner;
mod promise;
mod read;
mod result;
mod status;
mod suite;
mod text;
mod view;
mod words;

pub use destination::Destination;
pub use explain::explain;
pub use html::{STYLE, policy};
pub use markdown::{code, code_free};
pub use merge::{MergeOptions, merge};
pub use options::{Options, run};
pub use words::one_line;
