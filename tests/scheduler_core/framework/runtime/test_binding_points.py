"""Reserve to PostBind of one profile: order, and what follows from what plugins raise."""

from __future__ import annotations

from typing import Any

from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import NoArgs, ReservePlugin
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.contracts.status import SUCCESS, Status
from scheduler_core.framework.runtime.binding_points import run_reserve, run_unreserve
from scheduler_core.framework.runtime.framework import Framework, PluginPoints
from scheduler_core.testing.builders import make_cluster, make_node, make_pod


class Room(ReservePlugin[NoArgs]):
    """Notes when it was asked."""

    Args = NoArgs

    def __init__(self, name: str, handle: Framework, log: list[str]) -> None:
        super().__init__(NoArgs(), handle)
        self.name = name  # type: ignore[misc]
        self.log = log

    def reserve(self, cycle: Any, pod: Any, node_name: str) -> Status:
        self.log.append(f"reserve {self.name}")
        return SUCCESS

    def unreserve(self, cycle: Any, pod: Any, node_name: str) -> None:
        self.log.append(f"unreserve {self.name}")


def test_plugins_unreserve_in_the_reverse_order_in_which_they_reserved() -> None:
    cluster, log = make_cluster([make_node("n")]), list[str]()
    framework = Framework("test", RunContext(cluster, seed=1))
    rooms = [Room(name, framework, log) for name in ("A", "B", "C")]
    framework.install({room.name: room for room in rooms}, PluginPoints(reserve=rooms))
    pod, cycle = cluster.info(make_pod("p")), CycleState(1)
    assert run_reserve(framework, cycle, pod, "n") is SUCCESS
    run_unreserve(framework, cycle, pod, "n")
    assert log == ["reserve A", "reserve B", "reserve C", "unreserve C", "unreserve B", "unreserve A"]
