//! Agent: a policy that fits the environment it acts in; and what it must not do there.
//!
//! Both answers to the latter are here: one episode, sampled, and the probability of a
//! violation, exact.

use probtest::TestRng;

use super::dynamics::{ACTIONS, Action, Dynamics, State, Walk};

/// An environment and the action that is taken in each of its states.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent<'a> {
    dynamics: &'a Dynamics,
    policy: Vec<Action>,
}

impl<'a> Agent<'a> {
    /// Panics when there are more or fewer actions than states, or one does not exist.
    pub fn new(dynamics: &'a Dynamics, policy: Vec<Action>) -> Self {
        assert_eq!(policy.len(), dynamics.states(), "one action for each state");
        assert!(policy.iter().all(|&action| action < ACTIONS), "an action is below 4");
        Agent { dynamics, policy }
    }

    pub fn dynamics(&self) -> &'a Dynamics {
        self.dynamics
    }

    #[inline]
    pub fn action(&self, state: State) -> Action {
        self.policy[state]
    }

    pub fn policy(&self) -> &[Action] {
        &self.policy
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// The agent never falls: Q1 of the lakes, Q of the cliff. Where an episode has
    /// reached its end nothing follows.
    NeverFalls,
    /// The agent never falls, and the end of the episode does not stop it: all steps
    /// are taken. The published numbers of the cliff were made like that.
    NeverFallsPastTheEnd,
    /// The episode comes to an end: Q2 of the lakes.
    Ends,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Property {
    pub demand: Demand,
    pub steps: u32,
}

impl Property {
    /// Walks through one episode, and says whether the property holds in it.
    #[inline]
    pub fn holds(&self, agent: &Agent<'_>, rng: &mut TestRng) -> bool {
        // A limit of 0 would still allow one step.
        if self.steps == 0 {
            return self.demand != Demand::Ends;
        }
        let mut walk = Walk::new(agent.dynamics, self.steps);
        let mut state = walk.reset(rng);
        loop {
            let (outcome, truncated) = walk.step(agent.policy[state], rng);
            match self.demand {
                Demand::NeverFalls | Demand::NeverFallsPastTheEnd if outcome.fell => return false,
                Demand::NeverFalls if outcome.terminated || truncated => return true,
                Demand::NeverFallsPastTheEnd if truncated => return true,
                Demand::Ends if outcome.terminated => return true,
                Demand::Ends if truncated => return false,
                _ => state = outcome.next,
            }
        }
    }

    /// Computes the probability that an episode violates the property. Nothing is
    /// sampled.
    ///
    /// With its policy fixed, an agent is a Markov chain. Its distribution over
    /// the states is carried forward step by step; what falls or ends leaves it.
    /// That is the power of the transition matrix with absorbing states, row by
    /// row. All terms are positive, so the relative error of the result is below
    /// 5 s 2^-53, which is 2e-13 for 200 steps.
    pub fn violation(&self, agent: &Agent<'_>) -> f64 {
        let dynamics = agent.dynamics();
        let starts = dynamics.starts();
        let mut here = vec![0.0; dynamics.states()];
        for &start in starts {
            here[start] = 1.0 / starts.len() as f64;
        }
        let mut fallen = 0.0;
        for _ in 0..self.steps {
            let mut next = vec![0.0; here.len()];
            for (state, &reached) in here.iter().enumerate() {
                if reached == 0.0 {
                    continue;
                }
                for outcome in dynamics.outcomes(state, agent.action(state)) {
                    let part = reached * outcome.probability;
                    match self.demand {
                        Demand::NeverFalls | Demand::NeverFallsPastTheEnd if outcome.fell => {
                            fallen += part;
                        }
                        Demand::NeverFalls | Demand::Ends if outcome.terminated => (),
                        _ => next[outcome.next] += part,
                    }
                }
            }
            here = next;
        }
        let violation = match self.demand {
            Demand::NeverFalls | Demand::NeverFallsPastTheEnd => fallen,
            Demand::Ends => here.iter().sum(),
        };
        // Thirds round upwards: what is certain must not come out above 1.
        violation.min(1.0)
    }
}
