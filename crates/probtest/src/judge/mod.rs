//! judge
pub mod interval;
