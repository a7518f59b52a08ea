//! What is shown: counts, comparison, figures, the page, and the document about all of it.

mod comparison;
mod counts;
mod document;
mod figures;
mod page;
