"""Seeing that executions are not independent.

Some executions are looked at: the first ones, and then ever fewer. What counts is where
the program got its randomness from, never what it did with it: which global generators
had moved away from the seed that the execution began with, which generators were given
a seed by the program, and whether that was the same one each time. Three doubts follow, each
only from evidence:

- *fixed seeds*: all that was drawn came from generators that the program gives the
  same seed in every execution.
- *few drew*: the first executions drew, and later ones live on what those have left.
- *copies*: nothing random was used at all.

There is no doubt about a program that has any other randomness, or of which too
little was seen. Where executions share inputs, only those with the same input are compared:
what follows from an input is no randomness. `watching` does the looking.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import random
import sys
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from . import watching
from .calls import ANYTHING, NOTHING, TIME, Calls, ancestors_of
from .inputs import Inputs
from .sources import UNKNOWN, SequenceRandom, Sources
from .watching import HERE, INSTALLED, STANDARD, SeedWatch, Token

#: The first executions, which are looked at one after the other while there is a suspicion.
FIRST = 4
#: The fewest events of functions that are followed on suspicion, and the most.
FEWEST_EVENTS, MOST_EVENTS = 2_000, 20_000
#: Executions whose functions are followed; of each input, where executions share inputs.
FOLLOWED = 2
#: The most inputs whose executions are looked at on suspicion, where executions share inputs.
MOST_INPUTS = 50

Lent = TypeVar("Lent")


@dataclass(eq=False)
class ExecutionLook:
    """What was seen of one execution."""

    number: int
    watch: SeedWatch
    #: The input that it shares with other executions, if it does. Only those can be compared with it:
    #: others may have seeded their generators with another input.
    input: Hashable
    #: Global generators that have moved, with what can be compared of their state at the end, and where
    #: an input has seeded them.
    moved: dict[str, Any] = field(default_factory=dict)
    #: Whether it drew from a generator that we made for it, or an input of its own.
    drew_ours: bool = False
    calls: Calls | None = None


class Guard:
    """Looks at executions of one test, and says what is doubtful about them."""

    def __init__(self, sources: Sources, planned: int = 0, inputs: Inputs | None = None) -> None:
        self._sources = sources
        self._inputs = inputs
        #: How many inputs there are that executions share. Those make no execution differ from all others,
        #: and whether the program draws may depend on them.
        self._shared = None if inputs is None else inputs.shared
        #: Whether two executions with the same input are known to have drawn different numbers.
        self._is_known = False
        if inputs is not None:
            inputs.program_has_drawn = self.program_has_drawn
            if self._shared is not None:
                inputs.unseen = self.unseen
        self._looks: list[ExecutionLook] = []
        self._look: ExecutionLook | None = None
        self._begun: dict[str, Any] = {}
        self._lent: Any = None
        #: The execution, and its attempt, that it was lent to.
        self._lent_to: tuple[int, int] | None = None
        # Following functions costs two executions a part of their time: in a long plan that
        # is little, whatever they do.
        self._events = min(max(FEWEST_EVENTS, 10 * planned), MOST_EVENTS)
        self._keepers: Keepers | None = None
        self._kept_moved: bool | None = None
        self._broken = False

    def lend(self, generator: Lent) -> Lent:
        """Note the generator that the execution under way was given."""
        self._lent = generator
        self._lent_to = None if self._inputs is None else self._inputs.execution
        return generator

    def program_has_drawn(self, seed: int) -> bool:
        """Say whether an execution under this seed has drawn anything but inputs, as far as that is seen."""
        assert self._inputs is not None
        is_lent = self._lent is not None and self._lent_to == self._inputs.execution
        return (is_lent and _has_drawn(self._lent)) or self._sources.have_drawn(seed)

    def probe(self, begins: bool, number: int) -> int | None:
        """Look at an execution: be called before and after it; say which is the next to look at."""
        if self._broken:
            return None
        try:
            if begins:
                self._begin(number)
                return None
            return self._end()
        except Exception:
            # Nothing that watches may raise into the program. Nothing is known then.
            self._stop()
            self._broken = True
            return None

    def _begin(self, number: int) -> None:
        self._stop()
        peeks = {source.name: source.peek for source in self._sources.sources}
        # Fixtures of the first execution were set up before this.
        begun = self._sources.take_begun()
        self._begun = {
            source.name: begun[source.name] if source.name in begun else source.peek_at_begin()
            for source in self._sources.sources
        }
        shared = None if self._inputs is None or self._shared is None else self._inputs.shared_input
        self._look = look = ExecutionLook(number, SeedWatch(peeks, self._begun), shared)
        if number > 1:
            self._lent = None
        if self._suspects:
            if self._kept_moved is None:
                self._keepers = Keepers()
            if self._follows(look.input):
                look.calls = Calls(self._events)
        watching.begin(look.watch)
        if look.calls is not None:
            look.calls.begin()

    def _end(self) -> int | None:
        look = self._look
        if look is None:
            return None
        self._stop()
        for source in self._sources.sources:
            if source.name in self._begun:
                self._note_moved(look, source.name, source.peek())
        drew_input = self._inputs is not None and self._shared is None and self._inputs.has_drawn
        look.drew_ours = drew_input or (self._lent is not None and _has_drawn(self._lent))
        self._lent = None
        if self._keepers is not None:
            self._kept_moved = self._keepers.moved()
            self._keepers = None
        self._looks.append(look)
        number = look.number
        if self._shared is not None:
            return self._next_shared(look, self._shared)
        if self._suspects:
            return number + 1 if number < FIRST or self._follows(None) else 2 * number
        return number + 1 if number == 1 else 2 * number if number == 2 else 4 * number

    def _next_shared(self, look: ExecutionLook, inputs: int) -> int | None:
        """Say which execution to look at next: each input has its second and third, unless one is random."""
        first = self._looks[0]
        begins = first.number + inputs
        if look is first:
            return begins
        self._is_known = self._is_known or (self._is_fresh(look) and bool(self._peers(look)))
        if self._is_known or _seeds_differ(self._looks[1:]):
            return None
        turn, place = divmod(look.number - begins, inputs)
        if place + 1 < min(inputs, MOST_INPUTS):
            return look.number + 1
        return begins + inputs if turn == 0 else None

    def _stop(self) -> None:
        look, self._look = self._look, None
        if look is not None:
            if look.calls is not None:
                look.calls.end()
            watching.end(look.watch)

    def pause(self) -> None:
        """Look away: what others do between the set-up and the body is not the program's."""
        if self._look is not None:
            watching.pause(self._look.watch)
            if self._look.calls is not None:
                self._look.calls.pause()

    def go_on(self) -> None:
        if self._look is not None:
            watching.begin(self._look.watch)
            if self._look.calls is not None:
                self._look.calls.go_on()

    @contextlib.contextmanager
    def unseen(self) -> Iterator[None]:
        """Look away while an input is drawn. It may seed generators: the program draws from there on."""
        look = self._look
        if look is None:
            yield
            return
        self.pause()
        before = {source.name: source.peek() for source in self._sources.sources}
        try:
            with contextlib.nullcontext() if self._keepers is None else self._keepers.unseen():
                yield
        finally:
            for source in self._sources.sources:
                name, state = source.name, source.peek()
                if name in before and state != before[name]:
                    self._note_moved(look, name, before[name])
                    self._begun[name] = state
            self.go_on()

    def _note_moved(self, look: ExecutionLook, name: str, state: Any) -> None:
        """Note where the program has left a generator, if it has moved it."""
        if state is UNKNOWN:
            look.moved[name] = state
        elif state != self._begun.get(name):
            look.moved[name] = (look.moved.get(name), state)

    def body_begins(self) -> None:
        """Note that the set-up of fixtures is over."""
        if self._look is not None and self._look.calls is not None:
            self._look.calls.extend(self._events)

    @property
    def _suspects(self) -> bool:
        """Whether the last execution looked at had no randomness that is known to be fresh."""
        if not self._looks:
            return False
        if self._kept_moved or self._is_fresh(self._looks[-1]):
            return False
        return not _seeds_differ(self._looks[1:])

    def _follows(self, shared: Hashable) -> bool:
        """Say whether the functions of the next execution, with this input, are worth their cost."""
        calls = [(look.input, look.calls) for look in self._looks if look.calls is not None]
        count = sum(its == shared for its, _ in calls)
        return count < FOLLOWED and all(call.is_whole or call.seeds for _, call in calls)

    # What is known of several executions.

    def _is_random(self, looks: list[ExecutionLook]) -> bool:
        """Say whether one of them had randomness that no other has."""
        return any(map(self._is_fresh, looks)) or _seeds_differ(looks)

    def _is_fresh(self, look: ExecutionLook) -> bool:
        """Say whether an execution drew numbers that no other one draws."""
        if look.drew_ours or look.watch.entropy or look.watch.moved_before:
            return True
        others = self._peers(look)
        for name, state in look.moved.items():
            seed = look.watch.reseeded.get(name)
            if seed is not None:
                if any(other.watch.reseeded.get(name, seed) != seed for other in others):
                    return True
            # All begin in different states. Where one ends as another does, something has put it there.
            elif state is UNKNOWN or not any(other.moved.get(name) == state for other in others):
                return True
        return False

    def _peers(self, look: ExecutionLook) -> list[ExecutionLook]:
        """Return the others that it can be compared with."""
        return [other for other in self._looks if other is not look and other.input == look.input]

    def doubts(self) -> list[dict[str, Any]]:
        """Return why the executions may not be independent: `kind`, and what belongs to it."""
        try:
            return [] if self._broken else self._doubts()
        except Exception:
            return []

    @property
    def saw_all(self) -> bool:
        """Whether all that executions after the first did was seen, and nothing came from outside."""
        return not self._broken and self._is_followed(self._looks[1:], NOTHING)

    def _doubts(self) -> list[dict[str, Any]]:
        # The first one also imports and fills caches, and its fixtures were set up before
        # anybody looked.
        later = self._looks[1:]
        if self._kept_moved is not False or not self._are_enough(later):
            return []
        if not self._is_random(later):
            places = self._fixed(later)
            if places is not None:
                # Code of which it is not known whether it is random.
                unknown = any(look.calls is not None and look.calls.brings == ANYTHING for look in later)
                return [] if unknown else [{"kind": "fixed_seeds", "places": places}]
            if self._is_fresh(self._looks[0]):
                # To look at the clock is not to draw.
                return self._few(1) if self._is_followed(later, TIME) else []
            return [{"kind": "copies"}] if self._is_followed(later, NOTHING) else []
        # The last one that drew; before the next one looked at, any of them may have.
        drew = [self._is_fresh(look) for look in self._looks]
        if True not in drew:
            return []
        last = len(drew) - 1 - drew[::-1].index(True)
        rest = self._looks[last + 1 :]
        if len(rest) < 3 or self._is_random(rest) or not self._is_followed(rest, TIME):
            return []
        if rest[0].number * 2 > rest[-1].number:
            return []
        return self._few(sum(drew))

    def _are_enough(self, looks: list[ExecutionLook]) -> bool:
        """Say whether two of them can be compared, of each input that is looked at on suspicion."""
        groups = _by_input(looks)
        inputs = 1 if self._shared is None else min(self._shared, MOST_INPUTS)
        return len(groups) >= inputs and all(len(group) >= 2 for group in groups)

    def _few(self, drew: int) -> list[dict[str, Any]]:
        if self._shared is not None:
            # Those that drew nothing may be those with certain inputs.
            return []
        return [{"kind": "few_drew", "drew": drew, "looked_at": len(self._looks)}]

    def _fixed(self, looks: list[ExecutionLook]) -> list[str] | None:
        """Return where the same seeds were set in all of them; None where none were."""
        #: By place, what was seeded there, and how: of several inputs the first.
        found: dict[Hashable, str] = {}
        seeds: dict[Hashable, list[Token]] = {}
        for group in _by_input(looks):
            common: set[Hashable] = set.intersection(*(set(look.watch.seeds) for look in group))
            watch = group[0].watch
            for key in common:
                found.setdefault(key, watch.words[key])
                if seeds.setdefault(key, watch.seeds[key]) != watch.seeds[key]:
                    found[key] = f"{found[key].removesuffix(_BY_INPUT)}{_BY_INPUT}"
            followed = [look.calls.seeds for look in group if look.calls is not None]
            if len(followed) >= FOLLOWED:
                found |= {seed: seed for seed in set.intersection(*followed)}
        moved = {f"{name} was reset to the same state" for look in looks for name in look.moved}
        return sorted(set(found.values()) or moved) or None

    @staticmethod
    def _is_followed(looks: list[ExecutionLook], most: int) -> bool:
        """Say whether two executions, of each input, called the same and got at most this from outside.

        All of that must have been seen.
        """
        for group in _by_input(looks):
            calls = [look.calls for look in group if look.calls is not None]
            if len(calls) < FOLLOWED or not all(call.is_whole and call.brings <= most for call in calls):
                return False
            if any(call.path != calls[0].path for call in calls):
                return False
        return True

    # What cannot be replayed.

    def unseeded(self) -> list[str]:
        """Name the randomness that no seed of ours reaches, as far as it is known."""
        found = [words for look in self._looks for words, _, _ in look.watch.entropy]
        found += [f"{name} lives between executions" for name in module_generators()]
        if sys.flags.hash_randomization:
            found.append("the order of sets of strings, since PYTHONHASHSEED is not set")
        return list(dict.fromkeys(found))


#: Added to a place that sets another seed with another input.
_BY_INPUT = ", with a seed from the input"


def _by_input(looks: list[ExecutionLook]) -> list[list[ExecutionLook]]:
    """Return those that can be compared with each other."""
    groups: dict[Hashable, list[ExecutionLook]] = {}
    for look in looks:
        groups.setdefault(look.input, []).append(look)
    return list(groups.values())


def _seeds_differ(looks: list[ExecutionLook]) -> bool:
    """Say whether a place has set another seed in another one of them, with the same input."""
    seen: dict[Hashable, list[Token]] = {}
    for look in looks:
        for key, seeds in look.watch.seeds.items():
            if seen.setdefault((look.input, key), seeds) != seeds:
                return True
    return False


def _has_drawn(generator: Any) -> bool:
    """Say whether a generator of `sources.generator` has left its beginning."""
    if type(generator) is SequenceRandom:
        return generator.has_drawn
    state = generator.bit_generator.state
    moved: bool = state["state"]["counter"][0] != 0 or state["buffer_pos"] != 4
    return moved


# Generator objects that live between executions, and whether they move.


class Keepers:
    """Generator objects that the program keeps, with their states at one moment."""

    #: The most that are looked at; a look takes some microseconds.
    MOST = 5000

    def __init__(self) -> None:
        found = _generators()
        if len(found) > self.MOST:
            # Most of so many are garbage, which Python collects late.
            gc.collect()
            found = _generators()
        #: Whether one has moved, or may have: there are more of them than are looked at.
        self._has_moved = len(found) > self.MOST
        self._read(found[: self.MOST])

    def _read(self, found: list[Any]) -> None:
        # Not the states themselves: one may have thousands of numbers.
        self._states = [(each, _hashed(each)) for each in found]

    def moved(self) -> bool:
        self._has_moved = self._has_moved or any(_hashed(each) != hashed for each, hashed in self._states)
        return self._has_moved

    @contextlib.contextmanager
    def unseen(self) -> Iterator[None]:
        """Look away while other code may move them."""
        if self.moved():
            yield
            return
        try:
            yield
        finally:
            self._read([each for each, _ in self._states])


#: Generators that lived before processes were forked off this one, see `frozen`.
_kept: list[Any] = []


@contextlib.contextmanager
def frozen() -> Iterator[None]:
    """Find the generators once for all processes that are forked meanwhile.

    What lives already is not looked through again there: that takes longer than most tests, and
    would copy its memory.
    """
    _kept[:] = _generators()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        _kept.clear()


def kinds_of_generators() -> list[type]:
    kinds: list[type] = [random.Random.__base__ or random.Random]
    numpy = sys.modules.get("numpy.random")
    for name in ("Generator", "RandomState", "BitGenerator"):
        kind = getattr(numpy, name, None)
        if type(kind) is type:
            kinds.append(kind)
    return kinds


def _generators() -> list[Any]:
    """Return the generators of the process, but for the global ones and that for names of files."""
    kinds = kinds_of_generators()
    every = gc.get_objects()
    # Without a step in Python for each of a hundred thousand objects.
    types = list(map(type, every))
    wanted = {kind for kind in set(types) if any(base in ancestors_of(kind) for base in kinds)}
    # Each execution has one for its inputs; no program holds it.
    wanted = {kind for kind in wanted if kind.__module__ != f"{__package__}.inputs"}
    known = [id(found) for found in _global_generators()]
    found = itertools.compress(every, map(wanted.__contains__, types))
    return [*_kept, *(generator for generator in found if id(generator) not in known)]


def _global_generators() -> list[Any]:
    found = [getattr(random.seed, "__self__", None)]
    numpy = sys.modules.get("numpy.random.mtrand")
    shared = getattr(numpy, "_rand", None)
    if shared is not None:
        found += [shared, shared._bit_generator]
    names = getattr(sys.modules.get("tempfile"), "_name_sequence", None)
    if names is not None:
        found.append(getattr(names, "_rng", None))
    return found


def module_generators() -> list[str]:
    """Name the generator objects that modules of the program hold."""
    kinds = kinds_of_generators()
    found = set()
    for _, content, file in watching.modules():
        if not file.startswith((HERE, *STANDARD)) and not any(part in file for part in INSTALLED):
            for name, value in list(content.items()):
                if any(kind in ancestors_of(type(value)) for kind in kinds):
                    found.add(f"{content.get('__name__')}.{name}")
    return sorted(found)


def _hashed(generator: Any) -> Any:
    state = _state(generator)
    # What is not known differs from everything.
    return state if type(state) is object else hash(state)


def _state(generator: Any) -> Any:
    """Return the state of a generator by what its own class defines, whatever a subclass has made of it."""
    ancestors = ancestors_of(type(generator))
    twister: Any = random.Random.__base__
    if twister in ancestors:
        return twister.getstate(generator)
    numpy = sys.modules["numpy.random"]
    if numpy.Generator in ancestors:
        generator = numpy.Generator.bit_generator.__get__(generator)
    elif numpy.RandomState in ancestors:
        generator = numpy.RandomState._bit_generator.__get__(generator)
    if type(generator).__module__ == f"{__package__}.tapes":
        # It replaces one of NumPy, and outlives the story that it was made for.
        generator = generator._inner
    if type(generator).__module__.partition(".")[0] != "numpy":
        # Of another library: nothing is known, so that it counts as moving.
        return object()
    return _flat(generator.state)


def _flat(state: Any) -> Any:
    if type(state) is dict:
        return tuple((name, _flat(value)) for name, value in state.items())
    return state.tobytes() if hasattr(state, "tobytes") else state
