//! Agents: their worlds, training, exact answers, and the study.

mod agents;
mod averages;
mod lakes;
mod paper_policies;
mod policies;
