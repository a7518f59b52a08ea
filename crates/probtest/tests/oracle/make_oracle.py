"""Writes the oracle tables beside this file, with arbitrary precision.

    pip install mpmath
    python make_oracle.py            # about a minute

Every number is computed here in another way than in the crate: two outcomes
by exact fractions or by exp and log to hundreds of digits, many outcomes by
inclusion and exclusion, intervals by summing the binomial distribution in
fixed point. The tables are committed; run this only to extend them.
"""

import csv
import itertools
import random
from fractions import Fraction
from math import comb, prod
from pathlib import Path

from mpmath import floor, log, log1p, mp, mpf, nstr

HERE = Path(__file__).parent
random.seed(20250902)


def exact(text):
    if text.startswith("1 - "):
        return 1 - Fraction(text[4:])
    return Fraction(text)


def to_mpf(fraction):
    return mpf(fraction.numerator) / mpf(fraction.denominator)


# Two outcomes.


def tail_is_below(q, k, epsilon):
    """Whether q^k + (1 - q)^k < epsilon, exactly."""
    if k * q.denominator.bit_length() < 60_000:
        return q**k + (1 - q) ** k < epsilon
    digits = 100
    while True:
        mp.dps = digits
        x, e = to_mpf(q), to_mpf(epsilon)
        tail = x**k + mp.exp(k * log1p(-x))
        margin = mpf(10) ** (30 - digits) * (1 + k * x)
        # Both may be next to one, so the complements are compared too.
        if abs(tail - e) > margin * e:
            return tail < e
        digits *= 2
        assert digits < 30_000, "a tie that is not told apart"


def two_count(p, epsilon):
    q = min(p, 1 - p)
    mp.dps = 100 + len(str(epsilon.denominator)) + len(str(q.denominator))
    x, e = to_mpf(q), to_mpf(epsilon)
    if q == Fraction(1, 2):
        root = 1 + log(e) / log(mpf(1) / 2)
    else:
        root = log(e) / log1p(-x)
        for _ in range(200):
            a, b = (1 - x) ** root, x**root
            step = log((a + b) / e) / -((a * log1p(-x) + b * log(x)) / (a + b))
            root += step
            if abs(step) < mpf(10) ** -20 * root:
                break
    k = max(2, int(floor(root)))
    while not tail_is_below(q, k, epsilon):
        k += 1
    while k > 2 and tail_is_below(q, k - 1, epsilon):
        k -= 1
    return k


def two_rows():
    ps = ["0.5", "1/2", "1/3", "0.3", "0.1", "0.01", "1/1024", "0.0039", "0.49999999999999994"]
    ps += ["0.5000000000000001", "0.50000000000000000001", "0.99", "0.999999", "1 - 1e-17", "1 - 1e-18"]
    ps += [f"1e-{n}" for n in range(1, 19)] + ["3.7e-4", "2.5e-9", "7.7e-13", "6.1e-17", "1/7", "22/7000001"]
    epsilons = ["0.5", "0.05", "0.02", "0.01", "1e-3", "1e-6", "1e-12", "1e-30", "1e-300", "0.999", "1/3"]
    epsilons += ["1 - 1e-9", "0.99999999999999999", "1 - 1e-17", "1 - 1e-40"]
    rows = [(p, e) for p in ps for e in epsilons]
    # Tiny p with an epsilon next to one.
    rows += [("1e-300", "1 - 1e-290"), ("1e-300", "1 - 1e-300"), ("1e-40", "1 - 1e-25"), ("2e-99", "1 - 3e-90")]
    # Next to a power of two, at counts where a float cannot count.
    for m, n in itertools.product((1, 3, 7, 31, 97), (16, 17, 18, 20)):
        for e in ("0.25", "0.5"):
            rows += [(f"{m}e-{n}", e), (f"{m}e-{n}", f"{e}{'0' * 40}1"), (f"{m}e-{n}", f"{float(e) - 0.01}{'9' * 40}")]
    # Next to one half.
    for n in (20, 100, 400):
        for k in (5, 60, 1000):
            rows += [(f"0.5{'0' * n}1", f"1/{2 ** k}"), (f"0.4{'9' * n}", f"1/{2 ** k}")]
    # Exact ties and their neighbours.
    for p, k in itertools.product(["0.3", "0.1", "1/2", "2/7", "0.45", "0.04"], [2, 3, 4, 7, 12, 31]):
        q = exact(p)
        tie = q**k + (1 - q) ** k
        big = 10 ** (len(str(tie.denominator)) + 20)
        for near in (tie, tie + Fraction(1, big), tie - Fraction(1, big)):
            rows.append((p, f"{near.numerator}/{near.denominator}"))
    # Near ties at large counts: epsilon is the tail, cut to some digits.
    for p, k in [("1e-6", 3_000_000), ("1e-9", 5 * 10**9), ("1e-12", 3 * 10**12), ("1e-15", 4 * 10**15),
                 ("1e-17", 6 * 10**17), ("0.01", 500), ("3.3e-5", 70_000)]:
        for digits in (20, 40, 120, 400):
            mp.dps = digits + 60
            x = to_mpf(exact(p))
            tail = mp.exp(k * log1p(-x))
            cut = int(floor(tail * mpf(10) ** digits))
            rows += [(p, f"{cut}e-{digits}"), (p, f"{cut + 1}e-{digits}")]
    for _ in range(200):
        p = f"{random.randint(1, 999)}e-{random.randint(3, 19)}"
        e = f"{random.randint(1, 9999)}e-{random.choice([4, 5, 6, 8, 10, 20, 60, 200])}"
        rows.append((p, e))
    for p, e in dict.fromkeys(rows):
        k = two_count(exact(p), exact(e))
        if k < 2**63:
            yield p, e, k


# Many outcomes.


def signed_terms(groups):
    """Each term of inclusion and exclusion: its factor, and the probability that it leaves."""
    for taken in itertools.product(*(range(times + 1) for _, times in groups)):
        if any(taken):
            ways = prod(comb(times, n) for (_, times), n in zip(groups, taken))
            rest = 1 - sum(p * n for (p, _), n in zip(groups, taken))
            yield (-1) ** (sum(taken) + 1) * ways, rest


def many_tail_exact(groups, k):
    return sum((factor * rest**k for factor, rest in signed_terms(groups)), Fraction(0))


def many_tail(groups, k, digits):
    mp.dps = digits
    total = mpf(0)
    for factor, rest in signed_terms(groups):
        if rest:
            total += factor * mp.exp(k * log(to_mpf(rest)))
    return total


def many_count(groups, epsilon):
    size = sum(times for _, times in groups)
    digits = 80 + sum(len(str(comb(times, times // 2))) for _, times in groups)
    rarest = min(p for p, _ in groups)
    mp.dps = 60
    high = max(size + 2, int(log(to_mpf(epsilon) / size) / log1p(-to_mpf(rarest))) + 2)
    low = size - 1  # the tail is 1 there
    small = size <= 4 and high < 2_000
    while high - low > 1:
        middle = (low + high) // 2
        if small:
            below = many_tail_exact(groups, middle) < epsilon
        else:
            tail = many_tail(groups, middle, digits)
            assert abs(tail - to_mpf(epsilon)) > mpf(10) ** -40, "a tie"
            below = tail < to_mpf(epsilon)
        low, high = (low, middle) if below else (middle, high)
    return high


def many_rows():
    epsilons = ["0.5", "0.05", "0.01", "1e-3", "1e-9", "0.9", "0.999"]
    for n in (3, 4, 6, 10, 13, 52, 100, 365, 1000):
        for e in epsilons[: 4 if n > 100 else 7]:
            yield f"1/{n} x {n}", e
    for text in ("0.01, 0.02", "0.01 x 2", "0.3, 0.3", "0.5, 0.25, 0.125, 0.0625", "0.9, 0.05, 0.05",
                 "0.5, 0.3, 0.2", "0.001, 0.001, 0.002, 0.5", "1e-6, 2e-6, 3e-6", "1e-10 x 3", "1e-14, 2e-14, 3e-14",
                 "1e-16 x 4", "0.1 x 10", "0.05 x 20", "0.01 x 30, 0.02 x 5", "1/7, 2/7, 4/7", "0.25 x 4", "1/1000 x 500"):
        for e in epsilons:
            yield text, e
    for _ in range(40):
        n = random.randint(3, 9)
        weights = [random.randint(1, 1000) for _ in range(n)]
        spare = random.choice([0, 0, 500, 100_000])
        total = sum(weights) + spare
        yield ", ".join(f"{w}/{total}" for w in weights), random.choice(epsilons)
    # Ties: the tail itself as epsilon.
    for text, k in (("1/3 x 3", 5), ("0.2, 0.3", 4), ("1/4, 1/4, 1/2", 6), ("0.1, 0.2, 0.3", 9)):
        tail = many_tail_exact(groups_of(text), k)
        yield text, f"{tail.numerator}/{tail.denominator}"


def groups_of(text):
    groups = {}
    for entry in text.split(","):
        p, _, times = entry.partition("x")
        groups[exact(p.strip())] = groups.get(exact(p.strip()), 0) + int(times or 1)
    return list(groups.items())


def weights_count(weights, spare, epsilon):
    """The count for outcomes w / total, by the polynomial prod(1 - x^w).

    Its coefficient at s is the signed number of subsets that weigh s, so this
    reaches hundreds of different outcomes.
    """
    total = sum(weights) + spare
    signed = [1]
    for w in weights:
        longer = signed + [0] * w
        for s, c in enumerate(signed):
            longer[s + w] -= c
        signed = longer
    mp.dps = 120 + max(len(str(abs(c))) for c in signed)
    logs = [(c, log(mpf(total - s) / total)) for s, c in enumerate(signed) if s and c and s < total]
    low, high = len(weights) - 1, int(log(epsilon / len(weights)) / log1p(-mpf(min(weights)) / total)) + 2
    while high - low > 1:
        middle = (low + high) // 2
        tail = -sum(c * mp.exp(middle * base) for c, base in logs)
        assert abs(tail - epsilon) > mpf(10) ** -40, "a tie"
        low, high = (low, middle) if tail < epsilon else (middle, high)
    return high


def weights_rows():
    for n, spare in ((20, 0), (60, 0), (60, 1000), (100, 0)):
        for first in (1, 50):
            weights = list(range(first, first + n))
            total = sum(weights) + spare
            text = ", ".join(f"{w}/{total}" for w in weights)
            for e in ("0.5", "0.05", "1e-4", "0.99"):
                mp.dps = 60
                yield text, e, weights_count(weights, spare, mpf(e))


# Skewed outcomes and an epsilon next to one: a rare outcome has hardly been
# waited for. Counts are small, so exact fractions reach.


def skewed_count(groups, epsilon):
    low, high = sum(times for _, times in groups) - 1, sum(times for _, times in groups)
    while many_tail_exact(groups, high) >= epsilon:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if many_tail_exact(groups, middle) < epsilon else (middle, high)
    return high


def skewed_rows():
    draw = random.Random(4)
    cases = [("33/500, 3/1000000000", "0.9999999836"), ("31/50, 9/50, 1/500000000", "0.9999999679"),
             ("0.5, 0.000001", "0.999999")]
    while len(cases) < 130:
        few, small = draw.randint(1, 3), draw.randint(3, 14)
        parts = [Fraction(draw.randint(1, 99), 100 * 10 ** draw.randint(0, 2)) for _ in range(few)]
        parts += [Fraction(draw.randint(1, 99), 10 ** (small + 1)) for _ in range(draw.choice([1, 1, 2]))]
        if sum(parts) > 1:
            continue
        text = ", ".join(f"{p.numerator}/{p.denominator}" for p in parts)
        tail = many_tail_exact(groups_of(text), draw.randint(len(parts), 60))
        if len(cases) % 3:
            # The tail itself, or closer to it than a float can tell.
            near = tail + draw.choice([0, 0, 1, -1]) * (1 - tail) / 10 ** draw.choice([6, 9, 12, 15, 18])
        else:
            near = 1 - (1 - tail) * Fraction(draw.randint(50, 150), 100)
        if 0 < near < 1 and len(str(near.denominator)) < 200:
            cases.append((text, f"{near.numerator}/{near.denominator}"))
    for text, e in dict.fromkeys(cases):
        yield text, e, skewed_count(groups_of(text), exact(e))
    # Too many subsets for inclusion and exclusion.
    for weights in ([1] + list(range(200, 230)), [1, 2, 3] + list(range(150, 175)), list(range(1, 31))):
        text = ", ".join(f"{w}/{sum(weights)}" for w in weights)
        for e in ("0.9999", "0.9999999", "1 - 1e-9", "1 - 1e-12", "1 - 1e-17"):
            mp.dps = 60
            yield text, e, weights_count(weights, 0, to_mpf(exact(e)))


# Clopper-Pearson: P(X >= x) in fixed point, by a sum of positive terms.

SCALE = 1 << 240


def upper_tail(x, n, p):
    """P(X >= x) for p below x / n, as an mpf."""
    odds = p / (1 - p)
    step = int(odds * SCALE)
    term, total, i = SCALE, SCALE, x
    while term and i < n:
        term = term * (n - i) * step // ((i + 1) * SCALE)
        total += term
        i += 1
    log_pmf = mp.loggamma(n + 1) - mp.loggamma(x + 1) - mp.loggamma(n - x + 1)
    log_pmf += x * log(p) + (n - x) * log1p(-p)
    return mp.exp(log_pmf) * total / SCALE


def lower_end(x, n, half):
    """The p with P(X >= x) = half."""
    if x == 0:
        return mpf(0)
    if x == n:
        return half ** (mpf(1) / n)
    mean = mpf(x) / n
    # Bisection for a start, then the secant method in logarithms.
    low, high = mean * mpf(10) ** -30, mean
    for _ in range(60 if n < 10**6 else 25):
        middle = mp.sqrt(low * high) if high > 4 * low else (low + high) / 2
        if upper_tail(x, n, middle) < half:
            low = middle
        else:
            high = middle
    a, b = log(low), log(high)
    fa, fb = log(upper_tail(x, n, low) / half), log(upper_tail(x, n, high) / half)
    for _ in range(40):
        if fb == fa:
            break
        a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
        fb = log(upper_tail(x, n, mp.exp(b)) / half)
        if abs(b - a) < mpf(10) ** -30:
            break
    return mp.exp(b)


def interval_rows():
    cases = [(x, n, c) for n in (1, 2, 5, 10, 30, 299) for x in sorted({0, 1, n // 3, n // 2, n - 1, n})
             for c in ("0.95", "0.5", "0.999999")]
    cases += [(x, n, c) for n in (1000, 10**5, 10**7) for x in (1, 2, 17, 400, n - 3)
              for c in ("0.95", "0.99", "0.9999999999")]
    cases += [(x, 10**9, "0.95") for x in (1, 5, 1000, 20_000, 10**9 - 1000)]
    cases += [(300_000, 10**6, "0.95"), (1000, 10**9, "0.01")]
    for x, n, c in dict.fromkeys(cases):
        if x > n:
            continue
        mp.dps = 50
        half = to_mpf((1 - Fraction(c)) / 2)
        low = lower_end(x, n, half)
        # The upper end is one minus the lower end of the other outcome; 50 digits
        # leave enough after the subtraction.
        mp.dps = 60
        high = 1 - lower_end(n - x, n, half)
        yield x, n, c, nstr(low, 25), nstr(high, 25)


def write(name, header, rows):
    rows = list(rows)
    with open(HERE / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n", delimiter=";")
        writer.writerow(header)
        writer.writerows(rows)
    print(name, len(rows), "rows")


if __name__ == "__main__":
    write("two_outcomes.csv", ["p", "epsilon", "k"], two_rows())
    write("many_outcomes.csv", ["outcomes", "epsilon", "k"],
          ((text, e, many_count(groups_of(text), exact(e))) for text, e in dict.fromkeys(many_rows())))
    write("weighted_outcomes.csv", ["outcomes", "epsilon", "k"], weights_rows())
    write("skewed_outcomes.csv", ["outcomes", "epsilon", "k"], skewed_rows())
    write("intervals.csv", ["violations", "executions", "confidence", "low", "high"], interval_rows())
