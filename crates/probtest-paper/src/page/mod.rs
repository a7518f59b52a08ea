//! The page: `index.html`, everything beside the published numbers.
//!
//! - [`Section`]: a part of the paper, with its files, figures and tables;
//! - [`sections`] and [`agents`]: the parts themselves, from the numbers of the
//!   studies;
//! - [`Page`]: the whole as HTML. One file, nothing is fetched, everything that
//!   is not ours is escaped.

pub mod agents;
mod html;
mod section;
pub mod sections;
mod style;
mod table;

pub use html::{GENERATOR, Page};
pub use section::{File, Section};
pub use table::{Line, Table, Verdict};
