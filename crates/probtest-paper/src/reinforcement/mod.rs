//! Reinforcement learning: is it found that an agent has not learned enough?
//!
//! From the environment to the table of the study:
//!
//! - [`Dynamics`]: what can follow an action; [`lake`] and [`cliff`] make them, with
//!   the tables of Gymnasium;
//! - [`Environment`], [`Walk`] and [`TimeLimit`]: an agent acts, the environment
//!   answers;
//! - [`Learner`] and [`Learning`]: Q-learning with the paper's parameters;
//! - [`Agent`] and [`Property`]: what a policy must not do, one episode or the exact
//!   probability;
//! - [`World`]: the environments of the paper, and how agents are trained in them;
//! - [`paper`]: the paper's own policies;
//! - [`curve`]: the exact violation probability while an agent learns;
//! - [`average`]: the mean of many agents beside the numbers of the cliff;
//! - [`study`] and [`table`]: how often probtest finds a violation, measured, beside
//!   the exact answer and the paper.

mod agent;
pub mod average;
mod board;
pub mod cliff;
pub mod curve;
mod dynamics;
mod environment;
pub mod lake;
mod learning;
pub mod paper;
mod property;
mod published;
mod slips;
pub mod study;
pub mod table;
mod trained;
mod world;

pub use agent::{Agent, PolicyError};
pub use dynamics::{ACTIONS, Action, Dynamics, Ground, Outcome, State};
pub use environment::{Environment, Step, TimeLimit, Walk};
pub use learning::{Learner, Learning, LearningError, Shaping};
pub use property::{Demand, Property};
pub use published::Published;
pub use slips::{GYMNASIUM_42, Slips};
pub use world::World;
