//! Philox4x64-10: a block of random words as a pure function of counter and key.
//!
//! Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). Chosen
//! over the alternatives by measurement (`make bench`, `crates/probtest/benches/generators.rs`): a
//! new stream costs nothing, since the execution's number is part of the counter, where a ChaCha8
//! stream costs 65 ns before its first number. It passes BigCrush, and NumPy has the same
//! generator, so Rust and Python can draw the same numbers.

const MULTIPLIERS: [u64; 2] = [0xD2E7_470E_E14C_6C93, 0xCA5A_8263_9512_1157];
const WEYL: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];
const ROUNDS: usize = 10;

/// Computes the four random words that belong to `counter` under `key`.
#[inline]
pub(super) fn block(mut counter: [u64; 4], mut key: [u64; 2]) -> [u64; 4] {
    for round in 0..ROUNDS {
        if round > 0 {
            key[0] = key[0].wrapping_add(WEYL[0]);
            key[1] = key[1].wrapping_add(WEYL[1]);
        }
        let (high_0, low_0) = multiply(MULTIPLIERS[0], counter[0]);
        let (high_1, low_1) = multiply(MULTIPLIERS[1], counter[2]);
        counter = [high_1 ^ counter[1] ^ key[0], low_1, high_0 ^ counter[3] ^ key[1], low_0];
    }
    counter
}

#[inline]
fn multiply(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    ((product >> 64) as u64, product as u64)
}

#[cfg(test)]
mod tests {
    use super::block;

    // The three known answers that the authors publish with their code.
    #[test]
    fn blocks_are_those_of_the_authors_known_answers() {
        assert_eq!(
            block([0; 4], [0; 2]),
            [0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b]
        );
        assert_eq!(
            block([u64::MAX; 4], [u64::MAX; 2]),
            [0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0]
        );
        assert_eq!(
            block(
                [0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89],
                [0x452821e638d01377, 0xbe5466cf34e90c6c]
            ),
            [0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6]
        );
    }
}
