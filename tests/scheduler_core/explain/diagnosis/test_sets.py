"""Which sets of obstacles are the cause: each rule of docs/diagnosis.md on a hand-made example."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.explain.diagnosis.model import ObstacleKey
from scheduler_core.explain.diagnosis.sets import MOST_READINGS, Readings, SetWeights, group_rows, rank_readings

if TYPE_CHECKING:
    from collections.abc import Collection

CPU, MEMORY = ObstacleKey("SHORT_CPU", "cpu"), ObstacleKey("SHORT_MEMORY", "memory")
SELECTOR = ObstacleKey("SELECTOR_NO_MATCH", "spec.nodeSelector", (("tier", "gold"),))
HOST = ObstacleKey("SELECTOR_NO_MATCH", "spec.nodeSelector", (("kubernetes.io/hostname", "w1"),))
CONTROL_PLANE = ObstacleKey("TAINT_UNTOLERATED", "node-role.kubernetes.io/control-plane:NoSchedule")
GPU = ObstacleKey("TAINT_UNTOLERATED", "gpu=yes:NoSchedule")
DEVICE = ObstacleKey("NOT_OFFERED", "nvidia.com/gpu")
PORT, VOLUME = ObstacleKey("PORT_TAKEN", "80/TCP"), ObstacleKey("VOLUME_TOPOLOGY", "shop/data")


def readings(
    *nodes: Collection[ObstacleKey],
    nobody: Collection[ObstacleKey] = (),
    chosen: Collection[ObstacleKey] = (),
    sizes: dict[ObstacleKey, float] | None = None,
) -> Readings:
    """The readings of nodes with these obstacles, row 0 first; a change is of size 1 if it is not among ``sizes``."""
    weights = SetWeights(nobody.__contains__, chosen.__contains__, lambda key, rows: (sizes or {}).get(key, 1.0))
    return rank_readings(group_rows({row: frozenset(keys) for row, keys in enumerate(nodes)}), weights)


def sets_of(answer: Readings) -> list[tuple[set[ObstacleKey], tuple[int, ...]]]:
    return [(set(one.keys), one.rows) for one in (answer.first, *answer.either, *answer.also)]


def test_an_obstacle_that_opens_no_node_alone_is_no_cause_though_the_message_names_it_first() -> None:
    answer = readings({CONTROL_PLANE, SELECTOR}, {SELECTOR}, {SELECTOR})
    assert sets_of(answer) == [({SELECTOR}, (1, 2))], "ctl stays shut by its taint"


def test_the_pool_that_is_kept_for_other_pods_is_the_second_reading() -> None:
    """Ten workers lack cpu; two nodes with room have the taint that the pods of the pool tolerate."""
    answer = readings(*[{CPU}] * 10, {GPU}, {GPU}, chosen=[GPU])
    assert (answer.first.keys, answer.first.rows) == ({CPU}, tuple(range(10)))
    assert [(one.keys, one.rows) for one in answer.also] == [({GPU}, (10, 11))]
    assert answer.either == ()


def test_a_pool_is_not_read_first_even_where_it_opens_more_nodes() -> None:
    assert readings({CPU}, {GPU}, {GPU}, {GPU}, chosen=[GPU]).first.keys == {CPU}


def test_the_control_plane_is_read_after_what_opens_a_worker() -> None:
    answer = readings({CONTROL_PLANE}, {CONTROL_PLANE}, {PORT}, chosen=[CONTROL_PLANE])
    assert [set(one.keys) for one in (answer.first, *answer.also)] == [{PORT}, {CONTROL_PLANE}]


def test_a_host_that_is_asked_for_by_name_is_read_after_what_keeps_the_pod_off_it() -> None:
    """w1 is asked for and cordoned by a taint of its own; the other nodes only lack the name."""
    answer = readings({GPU}, {HOST}, {HOST}, chosen=[HOST])
    assert [set(one.keys) for one in (answer.first, *answer.also)] == [{GPU}, {HOST}]


def test_devices_that_nobody_can_add_are_read_after_all_that_somebody_can_change() -> None:
    answer = readings(*[{DEVICE}] * 5, {GPU}, nobody=[DEVICE], chosen=[GPU])
    assert [set(one.keys) for one in (answer.first, *answer.also)] == [{GPU}, {DEVICE}]


def test_fewer_obstacles_come_before_every_other_rule() -> None:
    answer = readings({DEVICE}, {CPU, MEMORY}, {CPU, MEMORY}, nobody=[DEVICE])
    assert answer.first.keys == {DEVICE}
    assert [set(one.keys) for one in answer.also] == [{CPU, MEMORY}]


def test_of_equal_sets_the_one_that_opens_more_nodes_comes_first_then_the_smaller_change() -> None:
    assert readings({CPU}, {PORT}, {PORT}).first.keys == {PORT}
    answer = readings({CPU}, {PORT}, sizes={CPU: 0.25, PORT: 1.0})
    assert [set(one.keys) for one in (answer.first, *answer.also)] == [{CPU}, {PORT}]


def test_sets_that_are_equal_by_all_rules_are_either_or() -> None:
    answer = readings({CPU}, {PORT})
    assert {answer.first.keys, *(one.keys for one in answer.either)} == {frozenset((CPU,)), frozenset((PORT,))}
    assert answer.also == ()


def test_a_set_opens_the_nodes_of_its_subsets_too() -> None:
    answer = readings({CPU, MEMORY}, {MEMORY, CPU}, {CPU})
    assert sets_of(answer) == [({CPU}, (2,))], "a set that contains an earlier one is no reading of its own"


def test_where_no_three_obstacles_open_a_node_what_all_nodes_share_is_the_cause() -> None:
    answer = readings({CPU, MEMORY, PORT, VOLUME}, {CPU, GPU, SELECTOR, HOST})
    assert (answer.first.keys, answer.first.rows, answer.either, answer.also) == ({CPU}, (), (), ())


def test_where_nodes_share_nothing_the_two_most_frequent_obstacles_are_said() -> None:
    answer = readings(
        {CPU, MEMORY, PORT, VOLUME}, {CPU, MEMORY, GPU, SELECTOR}, {CPU, GPU, HOST, DEVICE}, {GPU, PORT, HOST, SELECTOR}
    )
    assert (answer.first.keys, answer.first.rows) == ({CPU, GPU}, ())


def test_three_obstacles_at_once_are_still_a_cause() -> None:
    assert readings({CPU, MEMORY, PORT}, {CPU, MEMORY, PORT, GPU}).first == readings({CPU, MEMORY, PORT}).first


def test_so_many_readings_are_given_and_no_more() -> None:
    several = [ObstacleKey("PORT_TAKEN", str(number)) for number in range(9)]
    assert len(readings(*({key} for key in several)).either) == MOST_READINGS
    sizes = {key: 1.0 + i for i, key in enumerate(several)}
    assert len(readings(*({key} for key in several), sizes=sizes).also) == MOST_READINGS


def test_nodes_are_grouped_by_equal_obstacles_those_with_the_fewest_first() -> None:
    groups = group_rows({0: frozenset((CPU, GPU)), 1: frozenset((CPU,)), 2: frozenset((GPU,)), 3: frozenset((GPU,))})
    assert list(groups.items()) == [({GPU}, [2, 3]), ({CPU}, [1]), ({CPU, GPU}, [0])]
