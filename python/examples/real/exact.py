"""The exact values, computed from what the packages do and without them.

A function has the name of its test. It returns the rate of violations, or words.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, exp, log, sqrt


def filter_rate(capacity: int, rate: float, added: int) -> float:
    """False positives of pybloom-live: an index into a slice is 16 or 32 bits of a hash, modulo its size."""
    slices = ceil(log(1 / rate, 2))
    bits = ceil(capacity * -log(rate) / (slices * log(2) ** 2))
    hashes = 2**16 if bits < 2**15 else 2**32
    often, seldom = hashes % bits, bits - hashes % bits
    hit = 0.0
    # The first bits of a slice have one hash more than the others.
    for number, weight in ((often, hashes // bits + 1), (seldom, hashes // bits)):
        chance = weight / hashes
        hit += number * chance * (1 - (1 - chance) ** added)
    return hit**slices


def pybloom_filter() -> float:
    return filter_rate(19_000, 0.01, 19_000)


def pybloom_scalable() -> float:
    missed = 1.0
    for part, capacity in enumerate((100, 400, 1600), 1):
        missed *= 1 - filter_rate(capacity, 0.01 * 0.9**part, capacity)
    return 1 - missed


def classic_filter() -> float:
    """A filter for 10 000 elements at 0.01: seven hashes, all into the same bits."""
    bits = 8 * ceil(10_000 * -log(0.01) / log(2) ** 2 / 8)
    return (1 - (1 - 1 / bits) ** 70_000) ** 7


rbloom = fastbloom_filter = collections_bloom = classic_filter


def collections_hyperloglog() -> float:
    """At least this: all of the 32 registers are taken by 1000 items."""
    return 1 - 32 * (31 / 32) ** 1000


def binomial(misses: list[int]) -> float:
    rate = Fraction(1, 20)
    return float(sum(comb(10, k) * rate**k * (1 - rate) ** (10 - k) for k in misses))


def scipy_wilson() -> float:
    """Wilson's interval holds a rate where the score is below 1.96."""
    score = [abs(k - 0.5) / sqrt(10 * 0.05 * 0.95) for k in range(11)]
    return binomial([k for k in range(11) if score[k] > 1.959964])


def scipy_exact() -> float:
    """The exact interval holds a rate where neither tail is below 0.025."""
    tails = [min(binomial(list(range(k + 1))), binomial(list(range(k, 11)))) for k in range(11)]
    return binomial([k for k in range(11) if tails[k] < 0.025])


def determinant(rows: list[list[Fraction]]) -> Fraction:
    if not rows:
        return Fraction(1)
    first, *rest = rows
    minors = ([row[:i] + row[i + 1 :] for row in rest] for i in range(len(first)))
    return sum(((-1) ** i * first[i] * determinant(minor) for i, minor in enumerate(minors)), Fraction(0))


def spanning_trees(edges: list[tuple[int, int]]) -> str:
    """By Kirchhoff's theorem: a minor of the Laplacian of a graph on four nodes."""
    laplacian = [[Fraction(0)] * 4 for _ in range(4)]
    for a, b in edges:
        for i, j, value in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            laplacian[i][j] += value
    return f"1/{determinant([row[1:] for row in laplacian[1:]])} each"


def networkx_labeled_tree() -> str:
    return spanning_trees([(a, b) for a in range(4) for b in range(a)])


def networkx_spanning_tree() -> str:
    return spanning_trees([(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)])


def diffprivlib_binary() -> str:
    return f"{1 / (1 + exp(-log(3))):.4g} kept"


def diffprivlib_geometric() -> str:
    a = exp(-log(3))
    return f"{(1 - a) / (1 + a):.4g} kept"


def numpy_permutation() -> str:
    return "1/24 each"


def numpy_choice() -> str:
    return "0.1, 0.3, 0.6"


def rand_shuffle() -> str:
    return "1/6 each"


def rand_distr_poisson() -> str:
    return f"{exp(-3):.4g} zeros"


def rand_distr_geometric() -> str:
    return f"{Fraction(1, 4)}, {Fraction(3, 16)}, {Fraction(9, 64)}, {Fraction(27, 64)}"
