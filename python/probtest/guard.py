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

A program that has any other randomness is left in peace, and so is one of which too
little was seen. `watching` does the looking.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import Any, TypeVar

from . import watching
from .calls import ANYTHING, NOTHING, TIME, Calls
from .generators import Keepers, module_generators
from .inputs import Inputs
from .sources import UNKNOWN, SequenceRandom, Sources
from .watching import Token, Watch

#: The first executions, which are looked at one after the other while there is a suspicion.
FIRST = 4
#: The fewest events of functions that are followed on suspicion, and the most.
FEWEST_EVENTS, MOST_EVENTS = 2_000, 20_000
#: Executions whose functions are followed.
FOLLOWED = 2

Lent = TypeVar("Lent")


class Look:
    """What was seen of one execution."""

    def __init__(self, number: int, watch: Watch) -> None:
        self.number = number
        self.watch = watch
        #: Global generators that have moved, with what can be compared of their state at the end.
        self.moved: dict[str, Any] = {}
        #: Whether it drew from a generator that we made for it.
        self.drew_ours = False
        self.calls: Calls | None = None


class Guard:
    """Looks at executions of one test, and says what is doubtful about them."""

    def __init__(self, sources: Sources, planned: int = 0, inputs: Inputs | None = None) -> None:
        self._sources = sources
        self._inputs = inputs
        if inputs is not None:
            inputs.program_has_drawn = self.program_has_drawn
        self._looks: list[Look] = []
        self._look: Look | None = None
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
        """Be told of the generator that the execution under way was given."""
        self._lent = generator
        self._lent_to = None if self._inputs is None else self._inputs.execution
        return generator

    @property
    def lent_has_drawn(self) -> bool:
        """Whether the execution under way drew from the generator that it was lent, or an input."""
        if self._inputs is not None and self._inputs.has_drawn:
            return True
        return self._lent is not None and _has_drawn(self._lent)

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
        self._look = look = Look(number, Watch(peeks, self._begun))
        if number > 1:
            self._lent = None
        if self._suspects:
            if self._kept_moved is None:
                self._keepers = Keepers()
            if self._follows:
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
                state = source.peek()
                if state is UNKNOWN or state != self._begun[source.name]:
                    look.moved[source.name] = state
        look.drew_ours = self.lent_has_drawn
        self._lent = None
        if self._keepers is not None:
            self._kept_moved = self._keepers.moved()
            self._keepers = None
        self._looks.append(look)
        number = look.number
        if self._suspects:
            return number + 1 if number < FIRST or self._follows else 2 * number
        return number + 1 if number == 1 else 2 * number if number == 2 else 4 * number

    def _stop(self) -> None:
        """End all watching."""
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
        """Look again after a pause."""
        if self._look is not None:
            watching.begin(self._look.watch)
            if self._look.calls is not None:
                self._look.calls.go_on()

    def body_begins(self) -> None:
        """Be told that the set-up of fixtures is over."""
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

    @property
    def _follows(self) -> bool:
        """Whether the functions of the next execution are worth their cost."""
        calls = [look.calls for look in self._looks if look.calls is not None]
        return len(calls) < FOLLOWED and all(call.is_whole or call.seeds for call in calls)

    # What is known of several executions.

    def _is_random(self, looks: list[Look]) -> bool:
        """Say whether one of them had randomness that no other has."""
        return any(map(self._is_fresh, looks)) or _seeds_differ(looks)

    def _is_fresh(self, look: Look) -> bool:
        """Say whether an execution drew numbers that no other one draws."""
        if look.drew_ours or look.watch.entropy or look.watch.moved_before:
            return True
        others = [other for other in self._looks if other is not look]
        for name, state in look.moved.items():
            seed = look.watch.reseeded.get(name)
            if seed is not None:
                if any(other.watch.reseeded.get(name, seed) != seed for other in others):
                    return True
            # All begin in different states. Where one ends as another does, something has put it there.
            elif state is UNKNOWN or not any(other.moved.get(name) == state for other in others):
                return True
        return False

    @staticmethod
    def _names(looks: list[Look]) -> set[str]:
        return {name for look in looks for name in look.moved}

    def doubts(self) -> list[dict[str, Any]]:
        """Return why the executions may not be independent: `kind`, and what belongs to it."""
        try:
            return [] if self._broken else self._doubts()
        except Exception:
            return []

    def _doubts(self) -> list[dict[str, Any]]:
        # The first one also imports and fills caches, and its fixtures were set up before
        # anybody looked.
        later = self._looks[1:]
        if len(later) < 2 or self._kept_moved is not False:
            return []
        if not self._is_random(later):
            places = self._fixed(later)
            if places is not None and not self._may_be_anything(later):
                return [{"kind": "fixed_seeds", "places": places}]
            if places is not None:
                return []
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

    def _few(self, drew: int) -> list[dict[str, Any]]:
        return [{"kind": "few_drew", "drew": drew, "looked_at": len(self._looks)}]

    def _fixed(self, looks: list[Look]) -> list[str] | None:
        """Return where the same seeds were set in all of them; None where none were."""
        common: set[Hashable] = set.intersection(*(set(look.watch.seeds) for look in looks))
        words = looks[0].watch.words
        found = {words[key] for key in looks[0].watch.seeds if key in common}
        followed = [look.calls.seeds for look in looks if look.calls is not None]
        if len(followed) >= FOLLOWED:
            found |= set.intersection(*followed)
        places = sorted(found)
        if places or not self._names(looks):
            return places or None
        return [f"{name} was put to the same state" for name in sorted(self._names(looks))]

    @staticmethod
    def _may_be_anything(looks: list[Look]) -> bool:
        """Say whether code was called of which it is not known whether it is random."""
        return any(look.calls is not None and look.calls.brings == ANYTHING for look in looks)

    @staticmethod
    def _is_followed(looks: list[Look], most: int) -> bool:
        """Say whether two executions called the same and got at most this from outside, all of it seen."""
        calls = [look.calls for look in looks if look.calls is not None]
        if len(calls) < FOLLOWED or not all(call.is_whole and call.brings <= most for call in calls):
            return False
        return all(call.path == calls[0].path for call in calls)

    # What cannot be replayed.

    def unseeded(self) -> list[str]:
        """Name the randomness that no seed of ours reaches, as far as it is known."""
        found = [words for look in self._looks for words, _, _ in look.watch.entropy]
        found += [f"{name} lives between executions" for name in module_generators()]
        if sys.flags.hash_randomization:
            found.append("the order of sets of texts, while PYTHONHASHSEED is not set")
        return list(dict.fromkeys(found))


def _seeds_differ(looks: list[Look]) -> bool:
    """Say whether a place has set another seed in another one of them."""
    seen: dict[Hashable, list[Token]] = {}
    for look in looks:
        for key, seeds in look.watch.seeds.items():
            if seen.setdefault(key, seeds) != seeds:
                return True
    return False


def _has_drawn(generator: Any) -> bool:
    """Say whether a generator of `sources.generator` has left its beginning."""
    if type(generator) is SequenceRandom:
        return generator.has_drawn
    state = generator.bit_generator.state
    moved: bool = state["state"]["counter"][0] != 0 or state["buffer_pos"] != 4
    return moved
