//! The skip list: its bugs, the 26 properties, exact answers, and the study.

mod bugs;
mod coin;
mod exact;
mod properties;
mod study;
