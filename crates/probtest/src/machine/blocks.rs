//! Which executions belong to a shard?
//!
//! Blocks of consecutive executions are dealt out in turn. They are whole batches, and about
//! 64 for each shard, so that shards take equally long also where later executions do.

use crate::settings::Shard;

/// How many blocks each shard has, about.
const EACH: u64 = 64;

#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    shard: Shard,
    size: u64,
}

impl Blocks {
    /// Divides this many executions.
    pub(super) fn new(shard: Shard, executions: u64, batch: u64) -> Self {
        let size = executions.div_ceil(shard.of() * EACH).max(1);
        let size = size.div_ceil(batch).saturating_mul(batch);
        Blocks { shard, size }
    }

    /// The number of an execution's block, from 0.
    fn block(&self, index: u64) -> u64 {
        (index - 1) / self.size
    }

    pub(super) fn owns(&self, index: u64) -> bool {
        self.block(index) % self.shard.of() == self.shard.number() - 1
    }

    /// The last execution of a block.
    pub(super) fn last_beside(&self, index: u64) -> u64 {
        (self.block(index) + 1).saturating_mul(self.size)
    }

    /// The first execution from this one on that belongs to the shard.
    pub(super) fn first_own(&self, index: u64) -> u64 {
        let (block, of) = (self.block(index), self.shard.of());
        let ahead = (self.shard.number() - 1 + of - block % of) % of;
        match ahead {
            0 => index,
            _ => (block + ahead).saturating_mul(self.size).saturating_add(1),
        }
    }

    /// How many of the executions up to this one belong to the shard.
    pub(super) fn own_up_to(&self, last: u64) -> u64 {
        let (round, before) = (
            self.size.saturating_mul(self.shard.of()),
            (self.shard.number() - 1).saturating_mul(self.size),
        );
        let rest = (last % round).saturating_sub(before).min(self.size);
        (last / round).saturating_mul(self.size).saturating_add(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_execution_belongs_to_one_shard_and_batches_stay_whole() {
        for (executions, of, batch) in
            [(390, 3, 1), (390, 16, 7), (5, 16, 1), (1, 1, 1), (10_000, 3, 1), (1000, 2, 64)]
        {
            let shards: Vec<Blocks> = (1..=of)
                .map(|number| format!("{number}/{of}").parse().unwrap())
                .map(|shard| Blocks::new(shard, executions, batch))
                .collect();
            let mut own = vec![0; shards.len()];
            for index in 1..=executions {
                let owners: Vec<usize> =
                    (0..shards.len()).filter(|place| shards[*place].owns(index)).collect();
                assert_eq!(owners.len(), 1, "execution {index} of {executions} in {of}");
                own[owners[0]] += 1;
                let first_of_batch = index - (index - 1) % batch;
                assert!(shards[owners[0]].owns(first_of_batch));
                for (blocks, own) in shards.iter().zip(&own) {
                    assert_eq!(blocks.own_up_to(index), *own);
                    let next = blocks.first_own(index);
                    assert!(next >= index && blocks.owns(next));
                    assert!((index..next).all(|index| !blocks.owns(index)));
                    assert!(blocks.block(blocks.last_beside(index)) == blocks.block(index));
                    assert!(blocks.block(blocks.last_beside(index) + 1) > blocks.block(index));
                }
            }
        }
    }
}
