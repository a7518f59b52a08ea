"""Results of an invented suite, in the form that cargo's tests and pytest write."""

from __future__ import annotations

from typing import Any

from .words import inconclusive_after, missed_with, passing, violated_at

HOSTILE = "tests/test_page.py::test_<script>alert('x')</script>&amp;\"quoted\""


def result(test: str, verdict: str = "passed", **changes: Any) -> dict[str, Any]:
    """Return one result: a pass of p = 0.01, epsilon = 0.05, with changes."""
    facts: dict[str, Any] = {
        "probtest": 2,
        "kind": "detect",
        "test": test,
        "verdict": verdict,
        "claim": {"p": 0.01, "p_exact": "0.01", "epsilon": 0.05, "epsilon_exact": "0.05"},
        "planned": 299,
        "miss": 0.049536256549502724,
        "executed": 299,
        "passed": 299,
        "violated": 0,
        "rejected": 0,
        "not_executed": 0,
        "seed": "0x5eed",
        "index": None,
        "address": None,
        "replay": None,
        "rerun": None,
        "finding": None,
        "reason": None,
        "remembered": None,
        "notes": [],
        "seconds": 1.5,
        "summary": passing(299, missed_with(0.01, "0.04954")),
        "meaning": missed_with(0.01, "0.04954"),
    }
    return facts | changes


#: The story of a walk of 20 steps.
STORY: dict[str, Any] = {
    "draws": 34,
    "small": 20,
    "matter": 15,
    "tape": "t1.AA9xQA",
    "holds": True,
    "complete": True,
    "executions": 99,
    "words": "34 draws to 15 that matter",
    "lines": ["choice((-1, 1)) gave 1, 15 times, tests/test_walk.py:4"],
    "rows": [],
    "deciders": [
        {
            "first": 1,
            "last": 17,
            "redrawn": 40,
            "passed": 30,
            "low": 0.5,
            "high": 0.9,
            "words": "draws 1 to 17",
        },
        {
            "first": 18,
            "last": 34,
            "redrawn": 40,
            "passed": 4,
            "low": 0,
            "high": 0.3,
            "words": "draws 18 to 34",
        },
    ],
    "replay": "pytest tests/test_walk.py::test_walk --probtest-replay 0x7:72:35801243:t1.AA9xQA",
}


def label(name: str, passed: dict[str, int], own: str) -> dict[str, Any]:
    """Return a label with so many passes for each value, and one violation."""
    shares = [
        {"value": value, "passed": many, "violated": int(value == own), "low": 0.0, "high": 1.0}
        for value, many in passed.items()
    ]
    return {"name": name, "shares": shares, "of_violation": own, "words": f"{name} in words"}


def violated(test: str, index: int, message: str, **changes: Any) -> dict[str, Any]:
    """Return a result that was violated at an execution of 299."""
    return (
        result(
            test,
            "violated",
            executed=index,
            passed=index - 1,
            violated=1,
            not_executed=299 - index,
            index=index,
            address=f"0x5eed:{index}",
            replay=f"pytest {test.split('[')[0]} --probtest-replay 0x5eed:{index}",
            finding={
                "kind": "execution",
                "message": message,
                "location": "tests/test_it.py:12",
                "details": None,
            },
            summary=violated_at(index, 299),
            meaning="this execution is a counterexample; it does not tell you the violation rate",
        )
        | changes
    )


def sample() -> dict[str, Any]:
    """Return a suite with every verdict, as pytest writes it."""
    lake = {"p": 0.001, "p_exact": "0.001", "epsilon": 0.05, "epsilon_exact": "0.05"}
    die = {
        "outcomes": [1 / 6] * 6,
        "outcomes_exact": ["1/6"] * 6,
        "epsilon": 0.05,
        "epsilon_exact": "0.05",
    }
    die_missed = "some of the 6 outcomes would have been missed with probability 0.04340"
    reseeds = (
        "the executions are not independent: the program seeds its own generator, so every execution draws "
        "the same numbers. The promise above does not hold; remove the seed from the program"
    )
    tests = [
        result("tests/test_walk.py::test_walk_stays_within_its_steps", seconds=0.021),
        result(
            "tests/test_lake.py::test_agent_reaches_the_goal[4x4]",
            claim=lake,
            planned=2995,
            miss=0.04996,
            executed=2995,
            passed=2995,
            seconds=42.7,
            summary=passing(2995, missed_with(0.001, "0.04996")),
            meaning=missed_with(0.001, "0.04996"),
        ),
        violated(
            "tests/test_lake.py::test_agent_reaches_the_goal[7x7]",
            212,
            "AssertionError: the agent fell into hole 16 after 31 steps\nassert 'H' == 'G'",
            seconds=3.18,
            labels=[
                label("steps", {str(steps): 5 for steps in range(20, 63)}, "31"),
                label(
                    "<b>way</b>" + "w" * 60, {"the long way around " + "x" * 60: 200, "short": 12}, "short"
                ),
            ],
            unusual=["steps = 31 in this execution; 7 of 211 that passed had that or less"],
            story=STORY,
        ),
        violated(HOSTILE, 9, "<img src=x onerror=alert(1)> & \x1b[31mred\x1b[0m </script>", seconds=0.2),
        result(
            "tests/test_sampler.py::test_every_side_of_a_die_comes",
            kind="cover",
            claim=die,
            planned=27,
            executed=27,
            passed=27,
            miss=0.0434,
            seconds=0.004,
            summary=passing(27, die_missed),
            meaning=die_missed,
        ),
        result(
            "tests/test_model.py::test_answer_is_json",
            "inconclusive",
            executed=120,
            passed=120,
            not_executed=179,
            seconds=384.2,
            reason={
                "kind": "budget",
                "message": "max_executions = 120 is below the plan",
                "help": "raise max_executions, p or epsilon",
            },
            rerun="pytest tests/test_model.py::test_answer_is_json --probtest-seed 0x5eed",
            attained={"executions": 120, "words": "it would have been missed with probability 0.2994"},
            meaning=None,
            summary=inconclusive_after(120, 299),
        ),
        result(
            "tests/test_shuffle.py::test_shuffle_keeps_all_cards",
            doubts=[{"kind": "fixed_seeds", "words": reseeds}],
            seconds=0.08,
        ),
        result("skip_list::equivalence::insertion_order_does_not_matter", rejected=14, seconds=0.6),
        result("skip_list::validity::levels_are_sorted", seconds=0.55),
        result(
            "tests/test_retry.py::test_lost_messages_stay_rare",
            kind="tolerate",
            claim_words="tolerate = 0.001, p = 0.01, epsilon = 0.05, false_alarm = 1e-6",
            claim={"tolerate": 0.001, "p": 0.01, "epsilon": 0.05, "false_alarm": 1e-6},
            planned=785,
            executed=345,
            passed=344,
            violated=1,
            rate={"seen": 1 / 345, "low": 0.00007, "high": 0.0162, "confidence": 0.95},
            seconds=2.2,
            summary="probtest: 345 executions, 1 violated; a violation probability >= 0.01 would have "
            "passed with probability below 0.05",
            meaning="a violation probability >= 0.01 would have passed with probability below 0.05",
        ),
    ]
    return {"probtest": 2, "tests": [{"nodeid": test["test"], **test} for test in tests]}
