"""The binder that takes every pod."""

from __future__ import annotations

from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.status import SUCCESS
from scheduler_core.plugins.default_binder import DefaultBinder
from scheduler_core.testing.builders import make_cluster, make_pod
from scheduler_core.testing.fake_handle import FakeHandle


def test_the_default_binder_takes_every_pod() -> None:
    cluster = make_cluster([])
    plugin = DefaultBinder(NoArgs(), FakeHandle(cluster))
    assert plugin.bind(CycleState(), cluster.info(make_pod("p")), "n1") == SUCCESS
