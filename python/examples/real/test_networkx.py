"""networkx: trees that are uniform."""

from __future__ import annotations

import pytest

import probtest

nx = pytest.importorskip("networkx")

#: Every graph with five edges on four nodes is this one: a square and one of its diagonals.
SQUARE = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)]


def name(tree) -> str:
    return " ".join(f"{min(edge)}{max(edge)}" for edge in sorted(map(sorted, tree.edges)))


def trees(edges) -> dict[str, float]:
    """Every spanning tree of a graph, found by trying all sets of edges, with the same probability."""
    from itertools import combinations

    found = [
        graph for part in combinations(edges, 3) if nx.is_tree(graph := nx.Graph(part)) and len(graph) == 4
    ]
    return {name(tree): f"1/{len(found)}" for tree in found}


@pytest.mark.probtest(claim=probtest.fit(outcomes=trees(nx.complete_graph(4).edges), distance=0.02))
def test_networkx_labeled_tree() -> str:
    """networkx: "a labeled tree on n nodes chosen uniformly at random" (docs of `random_labeled_tree`)"""
    return name(nx.random_labeled_tree(4))


@pytest.mark.probtest(claim=probtest.fit(outcomes=trees(SQUARE), distance=0.1))
def test_networkx_spanning_tree() -> str:
    """networkx: a spanning tree is "selected with uniform probability" (docs of `random_spanning_tree`)"""
    return name(nx.random_spanning_tree(nx.Graph(SQUARE)))
