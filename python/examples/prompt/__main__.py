"""Measure what it brings to have 50 questions under way: `python -m examples.prompt`."""

from __future__ import annotations

import time

import probtest

from .model_server import Busy, ModelServer, ask

#: The model thinks as long as one of the larger ones does, in seconds.
THINKING = 0.2


def main() -> None:
    with ModelServer(seed=1, thinking=THINKING) as model:

        async def body() -> None:
            assert await ask(model.port, wrong=0.0) == "four"

        def each(p: float, concurrency: int) -> float:
            began = time.perf_counter()
            result = probtest.check(body, p=p, concurrency=concurrency, infrastructure=Busy)
            return (time.perf_counter() - began) / result.executed

        each(0.1, 50)
        alone, together = each(0.1, 1), each(0.001, 50)
        print(f"an execution: {alone * 1e3:.1f} ms one by one, {together * 1e3:.1f} ms with 50 under way")
        print(f"ratio: {alone / together:.1f}")


if __name__ == "__main__":
    main()
