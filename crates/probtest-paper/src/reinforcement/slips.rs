//! Slips: where does the luck of a training episode come from?

/// The slips of an episode beside the cliff that Gymnasium begins with the seed
/// 42, up to the limit of 100 steps: 0 is to the left of what was meant, 1 as
/// meant, 2 to its right. `python/tests/test_dynamics.py` compares them with the
/// installed package.
pub const GYMNASIUM_42: &str = "12202220112121010212122201002220110010212202210200\
                                02122110021121110010120000112112000210102110110022";

/// Where the slips of one episode come from, in training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slips {
    /// Every episode begins with the same seed, so that the n-th slip goes the
    /// same way in each of them. The paper's agents were trained like that.
    SameInEachEpisode,
    /// The same in each episode too, and those of the paper beside the cliff:
    /// [`GYMNASIUM_42`]. What follows after 100 steps is that of the own seed.
    Gymnasium42,
    /// Every episode has slips of its own.
    Fresh,
}

impl Slips {
    /// The slips that are known beforehand, as digits.
    pub(super) fn given(self) -> &'static [u8] {
        match self {
            Slips::Gymnasium42 => GYMNASIUM_42.as_bytes(),
            Slips::SameInEachEpisode | Slips::Fresh => &[],
        }
    }

    /// Which slips of a seed an episode has.
    pub(super) fn number(self, episode: u64) -> u64 {
        match self {
            Slips::SameInEachEpisode | Slips::Gymnasium42 => 1,
            Slips::Fresh => episode,
        }
    }
}
