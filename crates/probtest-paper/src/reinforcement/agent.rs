//! Agent: a policy that fits the environment it acts in.

use super::dynamics::{ACTIONS, Action, Dynamics, State};

/// An environment and the action that is taken in each of its states.
///
/// ```
/// use probtest_paper::reinforcement::{Agent, Ground, lake};
///
/// let dynamics = lake::Map::parse("SFG")?.dynamics(Ground::Firm);
/// let agent = Agent::new(&dynamics, vec![lake::RIGHT; 3])?;
/// assert_eq!(agent.action(1), lake::RIGHT);
/// assert!(Agent::new(&dynamics, vec![lake::RIGHT; 4]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Agent<'a> {
    dynamics: &'a Dynamics,
    policy: Vec<Action>,
}

/// Says why a policy does not fit an environment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// One action for each state is needed.
    #[error(
        "a policy has one action for each state of its environment\n  given  {given} actions for {states} states\n  help   write {states} actions, row by row"
    )]
    Length {
        /// The actions given.
        given: usize,
        /// The states that there are.
        states: usize,
    },
    /// There is no such action.
    #[error(
        "a policy has an unknown action in state {state}\n  given  {given}\n  help   actions are numbered from 0 to 3"
    )]
    Action {
        /// The state.
        state: State,
        /// The action given for it.
        given: Action,
    },
}

impl<'a> Agent<'a> {
    /// Takes an action for each state.
    ///
    /// # Errors
    ///
    /// When there are more or fewer actions than states, or one does not exist.
    pub fn new(dynamics: &'a Dynamics, policy: Vec<Action>) -> Result<Self, PolicyError> {
        if policy.len() != dynamics.states() {
            return Err(PolicyError::Length {
                given: policy.len(),
                states: dynamics.states(),
            });
        }
        if let Some(state) = policy.iter().position(|&action| action >= ACTIONS) {
            let given = policy[state];
            return Err(PolicyError::Action { state, given });
        }
        Ok(Agent { dynamics, policy })
    }

    /// What it acts in.
    pub fn dynamics(&self) -> &'a Dynamics {
        self.dynamics
    }

    /// What it does in a state.
    ///
    /// # Panics
    ///
    /// When there is no such state.
    #[inline]
    pub fn action(&self, state: State) -> Action {
        self.policy[state]
    }

    /// What it does in each state.
    pub fn policy(&self) -> &[Action] {
        &self.policy
    }
}
