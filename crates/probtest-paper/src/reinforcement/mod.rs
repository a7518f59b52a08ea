//! Reinforcement learning: do tests find that an agent hasn't learned enough?
//!
//! From the environment to the table of the study:
//!
//! - [`Dynamics`]: what can follow an action; [`lake`] and [`cliff`] have Gymnasium's tables;
//! - [`Learner`]: Q-learning with the paper's parameters;
//! - [`Agent`] and [`Property`]: what a policy must not do, in one episode and exactly;
//! - [`World`]: the environments of the paper, and how agents are trained in them;
//! - [`paper`]: the paper's own policies; [`many`]: many agents of ours;
//! - [`study`]: how often probtest finds a violation, measured, next to the exact answer and the
//!   paper.

pub mod cliff;
mod dynamics;
pub mod lake;
mod learning;
pub mod many;
pub mod paper;
pub mod study;
mod world;

pub use dynamics::{
    ACTIONS, Action, Agent, Demand, Dynamics, Ground, Outcome, Property, State, Walk,
};
pub use learning::{GYMNASIUM_42, Learner, Learning, Shaping, Slips};
pub use world::{PublishedShares, World};
