"""VolumeRestrictions against plugins/volumerestrictions."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import Pod, Volume
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import Hint
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, unresolvable, unschedulable
from scheduler_core.plugins.volume_restrictions import REASON_DISK, REASON_ONCE_POD, VolumeRestrictions
from scheduler_core.testing.agreement import assert_filters_agree, filter_statuses
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.hints import CLAIM_ADD, POD_DELETE, ask
from tests.scheduler_core.plugins.volume_objects import claim, pod_with

ONCE = claim("once", access_modes=("ReadWriteOncePod",))


def mounting(name: str, source: str, **attributes: str) -> Pod:
    return make_pod(name, volumes=(Volume(name="v", source=source, attributes=attributes),))


def gce(name: str, disk: str, read_only: str = "false") -> Pod:
    return mounting(name, "gcePersistentDisk", pdName=disk, readOnly=read_only)


def rbd(name: str, monitors: str, read_only: str = "false", **more: str) -> Pod:
    return mounting(name, "rbd", monitors=monitors, image="i", readOnly=read_only, **more)


@pytest.mark.parametrize(
    ("old", "new", "conflict"),
    [
        pytest.param(gce("o", "d"), gce("n", "d"), True, id="the same disk conflicts"),
        pytest.param(gce("o", "d"), gce("n", "e"), False, id="another disk does not"),
        pytest.param(gce("o", "d", "true"), gce("n", "d", "true"), False, id="both read only may share"),
        pytest.param(gce("o", "d", "true"), gce("n", "d"), True, id="one writer conflicts"),
        pytest.param(
            mounting("o", "awsElasticBlockStore", volumeID="v", readOnly="true"),
            mounting("n", "awsElasticBlockStore", volumeID="v", readOnly="true"), True, id="EBS never shares",
        ),
        pytest.param(
            mounting("o", "iscsi", iqn="q", readOnly="false"), mounting("n", "iscsi", iqn="q"), True, id="same iqn"
        ),
        pytest.param(rbd("o", "a,b"), rbd("n", "b,c", pool="rbd"), True, id="a common monitor, the default pool"),
        pytest.param(rbd("o", "a,b"), rbd("n", "c"), False, id="no common monitor"),
        pytest.param(rbd("o", "a"), rbd("n", "a", pool="other"), False, id="another pool"),
        pytest.param(gce("o", "d"), mounting("n", "emptyDir"), None, id="other volumes are skipped"),
    ],
)  # fmt: skip
def test_disks(old: Pod, new: Pod, conflict: bool | None) -> None:
    cluster = make_cluster([make_node("free"), make_node("used")], {"used": [old]})
    plugin = VolumeRestrictions(NoArgs(), FakeHandle(cluster))
    statuses = assert_filters_agree(plugin, cluster.info(new), cluster.table.order)
    if conflict is None:
        assert statuses is None
    else:
        assert statuses == [SUCCESS, unschedulable(REASON_DISK) if conflict else SUCCESS]


def test_a_claim_for_one_pod_refuses_all_nodes_while_it_is_in_use() -> None:
    cluster = make_cluster([make_node("a"), make_node("b")], {"b": [pod_with("once", name="user")]}, [ONCE])
    handle = FakeHandle(cluster)
    plugin, pod = VolumeRestrictions(NoArgs(), handle), cluster.info(pod_with("once"))
    rows, refused = cluster.table.order, unschedulable(REASON_ONCE_POD)
    assert assert_filters_agree(plugin, pod, rows) == [refused, refused]
    state = plugin.pre_filter(CycleState(), pod).state
    tried, user = plugin.clone(state), cluster.pods["default/user"]
    plugin.remove_pod(tried, pod, user, cluster.view(int(rows[1])))
    assert filter_statuses(plugin, tried, pod, rows) == [SUCCESS, SUCCESS]
    assert filter_statuses(plugin, state, pod, rows) == [refused, refused]
    plugin.add_pod(tried, pod, user, cluster.view(int(rows[1])))
    assert filter_statuses(plugin, tried, pod, rows) == [refused, refused]


def test_pre_filter_skips_claims_that_may_be_shared_and_names_missing_ones() -> None:
    cluster = make_cluster([make_node("a")], {"a": [pod_with("shared", name="user")]}, [claim("shared"), ONCE])
    plugin = VolumeRestrictions(NoArgs(), FakeHandle(cluster))
    assert plugin.pre_filter(CycleState(), cluster.info(pod_with("shared", "once"))).status == SKIP
    missing = plugin.pre_filter(CycleState(), cluster.info(pod_with("gone"))).status
    assert missing == unresolvable('persistentvolumeclaim "gone" not found')


def test_hints_queue_for_shared_disks_and_claims() -> None:
    plugin, pod = VolumeRestrictions(NoArgs(), FakeHandle()), pod_with("once")
    assert ask(plugin, POD_DELETE, pod, pod_with("once", name="q"), None) is Hint.QUEUE
    assert ask(plugin, POD_DELETE, pod, pod_with("other", name="q"), None) is Hint.SKIP
    assert ask(plugin, POD_DELETE, pod, pod_with("once", name="q", namespace="else"), None) is Hint.SKIP
    assert ask(plugin, POD_DELETE, gce("p", "d"), gce("q", "d"), None) is Hint.QUEUE
    assert ask(plugin, CLAIM_ADD, pod, None, ONCE) is Hint.QUEUE
    assert ask(plugin, CLAIM_ADD, pod, None, claim("other")) is Hint.SKIP
