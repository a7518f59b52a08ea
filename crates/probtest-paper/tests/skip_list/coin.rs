//! A coin that falls as specified, for lists of a given shape.

use std::convert::Infallible;

use probtest_paper::skip_list::{Bug, Key, Parameters, SkipList, Subject};
use rand::TryRng;

/// Heads this many times, then tails; again for each key.
pub struct Raises(pub usize);

impl TryRng for Raises {
    type Error = Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        match self.0.checked_sub(1) {
            Some(left) => {
                self.0 = left;
                Ok(0)
            }
            None => Ok(u64::MAX),
        }
    }

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("a list tosses with 64 bits")
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("a list tosses with 64 bits")
    }
}

/// Inserts keys, each with its given level.
fn fill(bug: Option<Bug>, keys: &[(Key, usize)]) -> Subject {
    let mut list = Subject::new(bug, Parameters::PAPER);
    for &(key, level) in keys {
        list.insert(key, &mut Raises(level - 1));
    }
    list
}

pub fn correct(keys: &[(Key, usize)]) -> SkipList {
    fill(None, keys).list().clone()
}

pub fn buggy(bug: Bug, keys: &[(Key, usize)]) -> Subject {
    fill(Some(bug), keys)
}
