//! The page: `index.html`, everything beside the published numbers.
//!
//! - [`Section`]: a part of the paper, with its files, figures and tables;
//! - [`sections`] and [`agents`]: the parts themselves, from the numbers of the
//!   studies;
//! - [`Page`]: the whole as HTML. One file, nothing is fetched, everything that
//!   is not ours is escaped.

pub mod agents;
mod html;
pub mod sections;

pub use html::{File, GENERATOR, Line, Page, Section, Table, Verdict, count, summary};
