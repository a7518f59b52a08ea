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
//! - [`study`] and [`table`]: how often probtest finds a violation, measured, beside
//!   the exact answer and the paper.

mod agent;
mod board;
pub mod cliff;
mod dynamics;
mod environment;
pub mod lake;
mod learning;
mod property;
mod published;
pub mod study;
pub mod table;
mod world;

pub use agent::{Agent, PolicyError};
pub use dynamics::{ACTIONS, Action, Dynamics, Ground, Outcome, State};
pub use environment::{Environment, Step, TimeLimit, Walk};
pub use learning::{Learner, Learning, LearningError, Shaping, Slips};
pub use property::{Demand, Property};
pub use published::Published;
pub use world::World;
