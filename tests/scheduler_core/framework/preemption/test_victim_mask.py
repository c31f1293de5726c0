"""Bringing pods back one after the other: by plain numbers for one node, in step for many."""

from __future__ import annotations

from random import Random

import numpy as np

from scheduler_core.framework.preemption.victim_mask import GOES, STAYS, VIOLATES, reprieve, reprieve_in_step
from tests.seeds import each_seed


def test_the_worked_example_holds():
    assert list(reprieve([0], [2], [(1,), (2,), (1,)], None)) == [STAYS, GOES, STAYS]
    stays = reprieve_in_step(np.array([[0]]), np.array([[2]]), np.array([[[1, 2, 1]]]))
    assert stays.tolist() == [[True, False, True]]


def test_pods_that_a_budget_guards_come_back_first():
    assert list(reprieve([0], [1], [(1,), (1,)], [False, True])) == [GOES, STAYS]
    assert list(reprieve([0], [0], [(1,), (1,)], [False, True])) == [GOES, VIOLATES]


@each_seed(range(30), together=30)
def test_many_nodes_in_step_are_as_each_node_by_itself(seed):
    random = Random(seed)
    n_needs, n_rows, longest = random.randrange(1, 4), random.randrange(1, 7), random.randrange(1, 6)
    asked = np.array([[[random.randrange(4) for _ in range(longest)] for _ in range(n_rows)] for _ in range(n_needs)])
    used = np.array([[random.randrange(5) for _ in range(n_rows)] for _ in range(n_needs)])
    limit = np.array([[random.randrange(10) for _ in range(n_rows)] for _ in range(n_needs)])
    stays = reprieve_in_step(used, limit, asked)
    for row in range(n_rows):
        pods = list(zip(*asked[:, row].tolist(), strict=True))
        fates = reprieve(used[:, row].tolist(), limit[:, row].tolist(), pods, None)
        assert [fate == STAYS for fate in fates] == stays[row].tolist()
