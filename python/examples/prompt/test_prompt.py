"""A prompt that may fail in 2 % of the answers, and must not fail in 10 %.

`pytest python/examples/prompt` executes both tests, with 50 questions under way at any time.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import probtest

from .model_server import PRICE, Busy, ModelServer

# A model at 2 % passes, and one at 10 % fails, each but for a chance of 1e-10. Of 1700 attempts one fails
# eleven times in a row with probability 1700 * 0.06^11 = 6e-11.
SUITE = pytest.mark.probtest(
    tolerate=0.02,
    p=0.1,
    epsilon=1e-10,
    false_alarm=1e-10,
    concurrency=50,
    infrastructure=(Busy, ConnectionError),
    max_cost=10.0,
    confirm=False,
)


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@SUITE
async def test_a_model_that_is_wrong_in_two_percent(model: ModelServer) -> None:
    answer = await model.ask(wrong=0.02)
    probtest.cost(PRICE)
    assert answer == "four"


@SUITE
@pytest.mark.xfail(raises=AssertionError, strict=True, reason="one answer in ten is wrong")
async def test_a_model_that_is_wrong_in_ten_percent(model: ModelServer) -> None:
    answer = await model.ask(wrong=0.1)
    probtest.cost(PRICE)
    assert answer == "four"


def test_fifty_questions_were_under_way(model: ModelServer) -> None:
    if model.most == 0:
        pytest.skip("the tests above ran in another process, or come later")
    assert model.most == 50
