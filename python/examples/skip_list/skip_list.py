"""A skip list: ordered linked lists, each a part of the one below."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Iterator


class Node:
    """A key on one level."""

    __slots__ = ("key", "lower", "next")

    def __init__(self, key: int | None, next_node: Node | None = None, lower: Node | None = None) -> None:
        self.key = key
        self.next = next_node
        self.lower = lower


class SkipList:
    """A set of keys; searches walk along the highest level first.

    >>> keys = SkipList()
    >>> for key in (7, 1, 4):
    ...     keys.insert(key)
    >>> list(keys)
    [1, 4, 7]
    >>> keys.delete(4)
    >>> keys.search(4) is None
    True
    """

    def __init__(self, most_levels: int = 3, rise: float = 0.5) -> None:
        self.most_levels = most_levels
        self.rise = rise
        #: The head of each level, bottom first. A head has no key.
        self.heads: list[Node] = [Node(None)]

    def insert(self, key: int) -> None:
        """Insert a key, on one level more for each toss of the coin that says so."""
        before = self._before(key)
        if self._is_next(before[0], key):
            return
        lower: Node | None = None
        for level in range(self.most_levels):
            if level > 0 and random.random() >= self.rise:
                return
            if level == len(self.heads):
                self.heads.append(Node(None, lower=self.heads[-1]))
                before.append(self.heads[-1])
            place = before[level]
            place.next = lower = Node(key, place.next, lower)

    def delete(self, key: int) -> None:
        """Delete a key from every level."""
        for place in self._before(key):
            if place.next is not None and place.next.key == key:
                place.next = place.next.next
        while len(self.heads) > 1 and self.heads[-1].next is None:
            self.heads.pop()

    def search(self, key: int) -> Node | None:
        """Find the highest node with a key."""
        for place in reversed(self._before(key)):
            if self._is_next(place, key):
                return place.next
        return None

    def level_of(self, key: int) -> int:
        """Return the highest level that holds a key, from 1; -1 without it."""
        before = self._before(key)
        return next(
            (level + 1 for level in reversed(range(len(before))) if self._is_next(before[level], key)), -1
        )

    def level(self, level: int) -> list[Node]:
        """Return the nodes of a level, from left to right."""
        nodes, node = [], self.heads[level - 1].next
        while node is not None:
            nodes.append(node)
            node = node.next
        return nodes

    def is_equivalent(self, other: SkipList) -> bool:
        """Say whether both hold the same keys."""
        return list(self) == list(other)

    def copy(self) -> SkipList:
        return copy.deepcopy(self)

    def _before(self, key: int) -> list[Node]:
        """Return, for each level, the node that a key belongs behind; bottom first."""
        before = []
        place: Node | None = self.heads[-1]
        while place is not None:
            while place.next is not None and place.next.key is not None and place.next.key < key:
                place = place.next
            before.append(place)
            place = place.lower
        return before[::-1]

    @staticmethod
    def _is_next(place: Node, key: int) -> bool:
        return place.next is not None and place.next.key == key

    def __iter__(self) -> Iterator[int]:
        for node in self.level(1):
            assert node.key is not None
            yield node.key

    def __eq__(self, other: object) -> bool:
        """Say whether both have the same nodes with the same pointers."""
        if not isinstance(other, SkipList) or len(self.heads) != len(other.heads):
            return NotImplemented if not isinstance(other, SkipList) else False
        levels = range(1, len(self.heads) + 1)
        return all(_shape(self.level(level)) == _shape(other.level(level)) for level in levels)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        rows = []
        for level in range(len(self.heads), 0, -1):
            here = {node.key for node in self.level(level)}
            cells = [str(key) if key in here else " " * len(str(key)) for key in self]
            rows.append(f"level {level}: " + " ".join(cells).rstrip())
        return "\n".join(rows)


def _shape(nodes: list[Node]) -> list[tuple[int | None, int | None]]:
    return [(node.key, None if node.lower is None else node.lower.key) for node in nodes]


def broken_rule(keys: SkipList, inserted: list[int]) -> str | None:
    """Return the first of the six rules of a skip list that is broken, or None."""
    levels = [keys.level(level) for level in range(1, len(keys.heads) + 1)]
    by_key = [{node.key: node for node in level} for level in levels]
    pairs = list(zip(by_key[1:], by_key, strict=False))
    if len(levels) > keys.most_levels:
        return "there are at most M levels"
    if any(key not in below for above, below in pairs for key in above):
        return "each level is a part of the level below"
    if any(a.key >= b.key for level in levels for a, b in itertools.pairwise(level)):  # type: ignore[operator]
        return "each level is ordered"
    if any(key not in by_key[0] for key in inserted):
        return "all inserted keys are on level 1"
    if any(node.lower is not None for node in levels[0]):
        return "no node of level 1 points to a node below"
    if any(node.lower is not below[key] for above, below in pairs for key, node in above.items()):
        return "a node above level 1 points to the node of its key on the level below"
    return None
