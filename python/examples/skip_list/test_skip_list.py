"""The 26 tests of the paper's appendix.

A list that a test takes as given holds all R keys, except those that the test
itself inserts. Where a test speaks of one node, that is the last key; where of
two, the first and the last.
"""

from __future__ import annotations

import os
import random

import pytest

from .skip_list import SkipList, broken_rule

R = int(os.environ.get("SKIP_LIST_R", "2"))
#: The probability of the rarest shape after R insertions, as the paper rounds it.
P = {1: "0.25", 2: "0.0625", 3: "0.0156", 4: "0.0039"}[R]

pytestmark = pytest.mark.probtest(p=P, epsilon=0.05)


@pytest.fixture(scope="session")
def keys() -> list[int]:
    """R different keys, the same for the whole suite."""
    return random.sample(range(101), R)


def list_of(keys: list[int]) -> SkipList:
    made = SkipList()
    for key in keys:
        made.insert(key)
    return made


def assert_valid(made: SkipList, inserted: list[int]) -> None:
    assert broken_rule(made, inserted) is None, f"broken: {broken_rule(made, inserted)}\n{made}"


def levels(made: SkipList, keys: list[int]) -> list[int]:
    return [made.level_of(key) for key in keys]


class TestValidity:
    """After an operation the list is a skip list."""

    def test_valid_insertion(self, keys: list[int]) -> None:
        made = list_of(keys[:-1])
        made.insert(keys[-1])
        assert_valid(made, keys)

    def test_valid_delete(self, keys: list[int]) -> None:
        made = list_of(keys)
        made.delete(keys[-1])
        assert_valid(made, keys[:-1])

    def test_valid_delete_all(self, keys: list[int]) -> None:
        made = list_of(keys)
        for key in keys:
            made.delete(key)
        assert_valid(made, [])

    def test_valid_search(self, keys: list[int]) -> None:
        made = list_of(keys)
        made.search(keys[-1])
        assert_valid(made, keys)


class TestPostconditions:
    """An operation does what it is for."""

    def test_post_insertion_search(self, keys: list[int]) -> None:
        found = list_of(keys).search(keys[-1])
        assert found is not None
        assert found.key == keys[-1]

    def test_post_deletion_search(self, keys: list[int]) -> None:
        made = list_of(keys)
        made.delete(keys[-1])
        assert made.search(keys[-1]) is None

    def test_post_level_of_nodes_unchanged_after_insertion(self, keys: list[int]) -> None:
        made = list_of(keys[:-1])
        before = levels(made, keys[:-1])
        made.insert(keys[-1])
        assert levels(made, keys[:-1]) == before

    def test_post_level_of_nodes_unchanged_after_search(self, keys: list[int]) -> None:
        made = list_of(keys)
        before = levels(made, keys)
        made.search(keys[-1])
        assert levels(made, keys) == before

    def test_post_level_of_other_nodes_unchanged_after_deletion(self, keys: list[int]) -> None:
        made = list_of(keys)
        before = levels(made, keys[:-1])
        made.delete(keys[-1])
        assert levels(made, keys[:-1]) == before

    def test_post_level_of_deleted_nodes_changed_after_deletion(self, keys: list[int]) -> None:
        made = list_of(keys)
        before = made.level_of(keys[-1])
        made.delete(keys[-1])
        assert made.level_of(keys[-1]) != before


class TestMetamorphic:
    """Two ways of doing things come to the same."""

    def test_meta_insertion_order(self, keys: list[int]) -> None:
        one, two = list_of(keys[1:-1]), list_of(keys[1:-1])
        for key in (keys[0], keys[-1]):
            one.insert(key)
        for key in (keys[-1], keys[0]):
            two.insert(key)
        assert one.is_equivalent(two)

    def test_meta_insertion_order_same_key(self, keys: list[int]) -> None:
        one = list_of(keys)
        two = one.copy()
        one.insert(keys[-1])
        assert one == two

    def test_meta_delete_insert_order(self, keys: list[int]) -> None:
        one, two = list_of(keys[1:-1]), list_of(keys[1:-1])
        one.insert(keys[0])
        one.delete(keys[0])
        two.insert(keys[0])
        if len(keys) > 1:
            one.insert(keys[-1])
            two.insert(keys[-1])
        two.delete(keys[0])
        assert one.is_equivalent(two)

    def test_meta_insert_delete_same_node_order(self, keys: list[int]) -> None:
        one, two = list_of(keys), list_of(keys)
        one.insert(keys[-1])
        two.delete(keys[-1])
        two.insert(keys[-1])
        assert one.is_equivalent(two)

    def test_meta_delete_delete_order(self, keys: list[int]) -> None:
        one = list_of(keys)
        two = one.copy()
        for key in (keys[0], keys[-1]):
            one.delete(key)
        for key in (keys[-1], keys[0]):
            two.delete(key)
        assert one == two

    def test_meta_delete_same_node_twice(self, keys: list[int]) -> None:
        one = list_of(keys)
        two = one.copy()
        one.delete(keys[-1])
        one.delete(keys[-1])
        two.delete(keys[-1])
        assert one == two

    def test_meta_insertion_search_delete(self, keys: list[int]) -> None:
        one = list_of(keys)
        two = one.copy()
        two.delete(keys[-1])
        assert one.search(keys[-1]) is not None
        assert two.search(keys[-1]) is None

    def test_meta_search_insertion_delete(self, keys: list[int]) -> None:
        one = list_of(keys[:-1])
        two = one.copy()
        one.insert(keys[-1])
        one.delete(keys[-1])
        assert one.search(keys[-1]) is None
        assert two.search(keys[-1]) is None


class TestEquivalence:
    """Operations keep or break the equality of two lists."""

    def test_eq_inserts_break_eq(self, keys: list[int]) -> None:
        one = list_of(keys[:-1])
        two = one.copy()
        one.insert(keys[-1])
        assert one != two

    def test_eq_delete_break_eq(self, keys: list[int]) -> None:
        made = list_of(keys)
        for key in keys:
            other = made.copy()
            other.delete(key)
            assert other != made

    def test_eq_delete(self, keys: list[int]) -> None:
        made = list_of(keys)
        for key in keys:
            one, two = made.copy(), made.copy()
            one.delete(key)
            two.delete(key)
            assert one == two

    def test_eq_search(self, keys: list[int]) -> None:
        made = list_of(keys)
        for key in keys:
            other = made.copy()
            other.search(key)
            assert other == made

    def test_equiv_insert(self, keys: list[int]) -> None:
        one, two = list_of(keys[:-1]), list_of(keys[:-1])
        one.insert(keys[-1])
        two.insert(keys[-1])
        assert one.is_equivalent(two)

    def test_equiv_inserts_break_equiv(self, keys: list[int]) -> None:
        one, two = list_of(keys[:-1]), list_of(keys[:-1])
        one.insert(keys[-1])
        assert not one.is_equivalent(two)

    def test_equiv_delete_break_equiv(self, keys: list[int]) -> None:
        one, two = list_of(keys), list_of(keys)
        one.delete(keys[-1])
        assert not one.is_equivalent(two)

    def test_equiv_delete(self, keys: list[int]) -> None:
        one, two = list_of(keys), list_of(keys)
        one.delete(keys[-1])
        two.delete(keys[-1])
        assert one.is_equivalent(two)
