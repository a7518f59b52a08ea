//! Reinforcement learning: is it found that an agent has not learned enough?
//!
//! From the environment to the table of the study:
//!
//! - [`Dynamics`]: what can follow an action; [`lake`] and [`cliff`] make them, with
//!   the tables of Gymnasium;
//! - [`Walk`]: an agent acts, the environment answers;
//! - [`Learner`] and [`Learning`]: Q-learning with the paper's parameters;
//! - [`Agent`] and [`Property`]: what a policy must not do, one episode or the exact
//!   probability;
//! - [`World`]: the environments of the paper, and how agents are trained in them;
//! - [`paper`]: the paper's own policies;
//! - [`many`]: the exact violation probability of many agents, while they learn and beside
//!   the numbers of the cliff;
//! - [`study`]: how often probtest finds a violation, measured, beside the exact answer
//!   and the paper.

mod agent;
pub mod cliff;
mod dynamics;
pub mod lake;
mod learning;
pub mod many;
pub mod paper;
pub mod study;
mod world;

pub use agent::{Agent, Demand, Property};
pub use dynamics::{ACTIONS, Action, Dynamics, Ground, Outcome, State, Walk};
pub use learning::{GYMNASIUM_42, Learner, Learning, Shaping, Slips};
pub use world::{Published, World};
