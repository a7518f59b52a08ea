//! `async fn`, with the feature `tokio`.

use probtest::{TestRng, probtest};
use rand_core::Rng;

async fn draw(rng: &mut TestRng) -> u32 {
    std::future::ready(rng.next_u32()).await
}

#[probtest(p = 0.1, epsilon = 0.1)]
async fn nothing_is_returned(rng: &mut TestRng) {
    let drawn = draw(rng).await;
    assert_eq!(drawn, drawn);
}

#[probtest(p = 0.1, epsilon = 0.1)]
async fn a_result_is_returned(rng: &mut TestRng) -> Result<(), std::num::ParseIntError> {
    let _read: u32 = draw(rng).await.to_string().parse()?;
    Ok(())
}

#[probtest(p = 0.1, epsilon = 0.1)]
async fn no_argument() -> bool {
    std::future::ready(true).await
}

#[probtest(p = 0.1, epsilon = 0.1)]
#[should_panic(expected = "the body returned false")]
async fn a_violation_is_expected(_rng: &mut TestRng) -> bool {
    std::future::ready(false).await
}
