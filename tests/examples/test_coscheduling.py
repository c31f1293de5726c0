"""Coscheduling, a plugin from outside of the tree: found by entry point or with_plugin; all or nothing for groups."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects, PodGroup
from scheduler_core.manifests import ManifestSource, load_cluster, load_config
from scheduler_core.profiles.args import decode_args
from scheduler_core.profiles.plugin_sets import ProfileError
from scheduler_core.profiles.registry import in_tree, installed
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.check_plugin import check_plugin
from scheduler_core.testing.fake_handle import FakeHandle
from tests.patience import PATIENCE

PACKAGE = Path(__file__).parents[2] / "examples" / "coscheduling"
SECOND = 1_000_000


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(str(PACKAGE))


@pytest.fixture
def plugin():
    from schedscope_coscheduling import Coscheduling

    return Coscheduling


def configuration(**args):
    loaded, findings = load_config(ManifestSource("config.yaml", (PACKAGE / "config.yaml").read_bytes()))
    assert findings == []
    (profile,) = loaded.profiles
    profile = msgspec.structs.replace(profile, plugin_config={"Coscheduling": args})
    return msgspec.structs.replace(loaded, profiles=(profile,))


def member(name, group="gang", **fields):
    return make_pod(name, cpu="1", uid="", labels={"scheduling.x-k8s.io/pod-group": group}, **fields)


def inputs(pods, cpu="2", n_nodes=2, entries=(), group=None, **args):
    group = group or PodGroup(name="gang", min_member=3, schedule_timeout_seconds=10)
    return RunInputs(
        objects=ClusterObjects(
            nodes=[make_node(f"n{i}", cpu=cpu) for i in range(n_nodes)], pods=pods, pod_groups=[group] if group else []
        ),
        configuration=configuration(**args),
        schedule="timeline",
        timeline=Timeline.of(list(entries)),
        max_virtual_us=200 * SECOND,
    )


def all_bound(session):
    return bool(session.finish_reason) and all(pod.node_name for pod in session.simulation.world.pods.values())


def run(given, plugin):
    session, events = RunSession.start(given, in_tree().with_plugin("Coscheduling", plugin)), []
    session.simulation.observers.append(events.append)
    session.advance()
    return session, events


def of_type(events, kind):
    return [event for event in events if isinstance(event, kind)]


# --- finding the plugin --------------------------------------------------------------------------------------------
def test_it_is_not_known_until_it_is_installed():
    assert "Coscheduling" not in in_tree().factories
    with pytest.raises(ProfileError, match="Coscheduling is not"):
        RunSession.start(inputs([]), in_tree())


def test_it_is_found_by_the_entry_point_of_its_metadata(tmp_path, monkeypatch, plugin):
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    metadata = tmp_path / "schedscope_coscheduling-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0.1.0\n")
    points = project["entry-points"]["schedscope.plugins"]
    lines = "".join(f"{name} = {target}\n" for name, target in points.items())
    (metadata / "entry_points.txt").write_text(f"[schedscope.plugins]\n{lines}")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert installed().factories["Coscheduling"] is plugin
    session = RunSession.start(inputs([member(f"p{i}") for i in range(3)]))
    session.advance()
    assert all_bound(session)


@pytest.mark.slow
def test_the_installed_package_is_found_by_another_process(tmp_path):
    """Built and installed for real, into a folder of its own."""
    pytest.importorskip("setuptools")
    build = [sys.executable, "-c", "import setuptools; setuptools.setup()", "-q", "install_lib", "--no-compile"]
    copied = tmp_path / "source"
    subprocess.run(["cp", "-r", str(PACKAGE), str(copied)], check=True)
    egg = [sys.executable, "-c", "import setuptools; setuptools.setup()", "-q", "install_egg_info"]
    for command in (build, egg):
        subprocess.run([*command, "--install-dir", str(tmp_path / "site")], cwd=copied, check=True, timeout=PATIENCE)
    root = PACKAGE.parents[1]
    code = "from scheduler_core.profiles.registry import installed; print(installed().factories['Coscheduling'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE,
        env={"PYTHONPATH": f"{tmp_path / 'site'}:{root}"},
    )  # fmt: skip
    assert "schedscope_coscheduling.plugin.Coscheduling" in done.stdout


def test_a_name_is_taken_once_only(plugin):
    with pytest.raises(ValueError, match="registered already"):
        in_tree().with_plugin("Coscheduling", plugin).with_plugin("Coscheduling", plugin)


def test_it_keeps_the_contract(plugin):
    check_plugin(plugin)
    check_plugin(plugin, plugin.Args(permit_waiting_time_seconds=5, pod_group_backoff_seconds=0))


@pytest.mark.parametrize("raw", [{"permitWaitingTimeSeconds": 0}, {"podGroupBackoffSeconds": -1}])
def test_bad_arguments_are_refused(plugin, raw):
    with pytest.raises(ValueError, match=next(iter(raw))):
        decode_args(plugin.Args, raw)


# --- all or nothing ------------------------------------------------------------------------------------------------
def test_a_whole_group_is_bound_once_its_last_pod_has_a_node(plugin):
    _, events = run(inputs([member(f"p{i}") for i in range(3)]), plugin)
    waits, bound = of_type(events, ev.PermitWaiting), of_type(events, ev.Bound)
    assert [event.pod for event in waits] == ["default/p0", "default/p1"]
    assert sorted(event.pod for event in bound) == ["default/p0", "default/p1", "default/p2"]
    assert min(events.index(event) for event in bound) > max(events.index(event) for event in waits)


def test_a_group_without_room_for_all_holds_no_node(plugin):
    session, events = run(inputs([member(f"p{i}") for i in range(3)], n_nodes=1), plugin)
    assert of_type(events, ev.Bound) == []
    assert session.simulation.context.cluster.pods == {}
    rejected = [event for event in of_type(events, ev.PermitDecided) if not event.allowed]
    assert {event.plugin for event in rejected} == {"Coscheduling"}
    assert "unschedulable even after" in rejected[0].message


def test_pods_of_a_group_that_is_too_small_are_not_tried_on_nodes(plugin):
    _, events = run(inputs([member("p0"), member("p1")]), plugin)
    messages = {event.message for event in of_type(events, ev.CycleFinished)}
    assert messages
    assert all("number: 2, minMember" in m for m in messages)
    assert of_type(events, ev.PermitWaiting) == []


def test_the_missing_pod_calls_its_siblings(plugin):
    late = TimelineEntry(5 * SECOND, "put", member("late"))
    session, events = run(inputs([member("p0"), member("p1")], entries=[late]), plugin)
    assert all_bound(session)
    woken = [m for m in of_type(events, ev.QueueMove) if m.event == "ForceActivate"]
    assert {m.pod for m in woken} == {"default/p0", "default/p1"}


def test_waiting_ends_with_the_time_out_and_takes_the_whole_group(plugin):
    """Two of three find a node; the third is gated, so that nothing but the clock can decide."""
    gated = member("p2", scheduling_gates=("later",))
    _, events = run(inputs([member("p0"), member("p1"), gated]), plugin)
    first = of_type(events, ev.PermitDecided)[:2]
    assert first[0].message.endswith("at plugin Coscheduling")
    assert first[1].message == "rejection in Unreserve"
    assert {event.pod for event in first} == {"default/p0", "default/p1"}
    assert first[0].at == of_type(events, ev.PermitWaiting)[0].at + 10 * SECOND


def test_the_wait_of_the_arguments_holds_for_a_group_without_its_own(plugin):
    gated = member("p2", scheduling_gates=("later",))
    group = PodGroup(name="gang", min_member=3)
    _, events = run(inputs([member("p0"), member("p1"), gated], group=group, permitWaitingTimeSeconds=7), plugin)
    assert of_type(events, ev.PermitDecided)[0].at == of_type(events, ev.PermitWaiting)[0].at + 7 * SECOND


def test_deleting_a_waiting_pod_rejects_its_group(plugin):
    gated = member("p2", scheduling_gates=("later",))
    gone = TimelineEntry(2 * SECOND, "delete", member("p0"))
    _, events = run(inputs([member("p0"), member("p1"), gated], entries=[gone]), plugin)
    decided = {event.pod: (event.at, event.message) for event in reversed(of_type(events, ev.PermitDecided))}
    assert decided["default/p0"] == (2 * SECOND, "removed")
    assert decided["default/p1"] == (2 * SECOND, "rejection in Unreserve")


def test_a_pod_group_that_comes_late_wakes_its_pods(plugin):
    group = PodGroup(name="gang", min_member=2)
    given = inputs([member("p0"), member("p1")], group=PodGroup(name="other"))
    given = msgspec.structs.replace(given, timeline=Timeline((TimelineEntry(3 * SECOND, "put", group),)))
    session, events = run(given, plugin)
    assert of_type(events, ev.CycleFinished)[0].message.endswith("1 PodGroup not found.")
    assert all_bound(session)
    assert {m.event for m in of_type(events, ev.QueueMove) if m.plugin == "Coscheduling"} == {"PodGroupAdd"}


def test_groups_follow_each_other_in_the_queue(plugin):
    """a1 b1 a2 b2 a3 b3 would leave both gangs with two pods on room for four."""
    pods = [member(f"{gang}{i}", group=gang) for i in range(3) for gang in "ab"]
    given = inputs(pods)
    groups = [PodGroup(name=gang, min_member=3, schedule_timeout_seconds=10) for gang in "ab"]
    objects = msgspec.structs.replace(given.objects, pod_groups=groups)
    _, events = run(msgspec.structs.replace(given, objects=objects), plugin)
    assert sorted(event.pod for event in of_type(events, ev.Bound)) == ["default/a0", "default/a1", "default/a2"]


def test_pods_without_a_group_pass(plugin):
    session, events = run(inputs([make_pod("alone", uid="")]), plugin)
    assert all_bound(session)
    assert of_type(events, ev.PermitWaiting) == []


@pytest.mark.parametrize("every", [1, 2, 3, 7])
def test_waiting_survives_save_and_restore(plugin, every):
    registry = in_tree().with_plugin("Coscheduling", plugin)
    gated = member("p2", scheduling_gates=("later",))
    free = TimelineEntry(15 * SECOND, "put", member("p2"))
    given = inputs([member("p0"), member("p1"), gated], entries=[free])
    expected, events = run(given, plugin)
    assert of_type(events, ev.Bound)
    session, going, waited = RunSession.start(given, registry), True, 0
    while going:
        for _ in range(every):
            going = session.simulation.step()
        chunk = session.cut_chunk()
        if chunk is not None:
            waited += len(session.simulation.context.waiting)
            session = RunSession.resume(given, chunk.keyframe, registry)
    assert waited
    assert session.recording_hash() == expected.recording_hash()


# --- the seed's example --------------------------------------------------------------------------------------------
SEED_004 = b"""\
apiVersion: kubescheduler.config.k8s.io/v1beta1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: false
clientConnection:
  kubeconfig: "REPLACE_ME_WITH_KUBE_CONFIG_PATH"
profiles:
- schedulerName: default-scheduler
  plugins:
    queueSort:
      enabled:
        - name: Coscheduling
      disabled:
        - name: "*"
    preFilter:
      enabled:
        - name: Coscheduling
    permit:
      enabled:
        - name: Coscheduling
    reserve:
      enabled:
        - name: Coscheduling
    postBind:
      enabled:
        - name: Coscheduling
"""
"""Seed 004, section "Registry": the configuration of Coscheduling, as printed there."""


def test_the_v1beta1_example_of_seed_004_is_refused_and_its_conversion_runs(plugin):
    refused, (finding,) = load_config(ManifestSource("seed-004.yaml", SEED_004))
    assert refused is None
    assert finding.field == "apiVersion"
    assert "kubescheduler.config.k8s.io/v1" in finding.message
    converted, findings = load_config(ManifestSource("converted.yaml", finding.suggestion.encode()))
    assert findings == []
    given = msgspec.structs.replace(inputs([member(f"p{i}") for i in range(3)]), configuration=converted)
    session, events = run(given, plugin)
    assert all_bound(session)
    assert len(of_type(events, ev.PermitWaiting)) == 2
    points = session.simulation.frameworks["default-scheduler"].points
    for point in ("queue_sort", "pre_filter", "permit", "reserve", "post_bind"):
        assert "Coscheduling" in [p.name for p in getattr(points, point)], point


def test_the_example_files_show_one_gang_at_a_time(plugin):
    loaded = load_cluster([ManifestSource("gang.yaml", (PACKAGE / "gang.yaml").read_bytes())])
    assert loaded.errors == []
    given = RunInputs(objects=loaded.objects, configuration=configuration())
    session, events = run(given, plugin)
    bound = of_type(events, ev.Bound)
    groups = [event.pod.split("/")[1].split("-")[0] for event in bound]
    assert groups in (["blue"] * 3 + ["red"] * 3, ["red"] * 3 + ["blue"] * 3)
    ends = [e for e in of_type(events, ev.ObjectChanged) if e.action == "deleted"]
    assert [e.cause for e in ends] == ["completed"] * 6
    assert ends[0].at > bound[2].at
    assert bound[3].at > ends[0].at, "the second gang is bound when the first has run"
    assert all_bound(session)


# --- answers about groups ------------------------------------------------------------------------------------------
def gang_of(plugin, pod, placed, others, group=None):
    """What the plugin says of the group of the pod, with some of its pods on nodes."""
    listed = [] if group is None else [group]
    cluster = make_cluster([make_node("n0")], {"n0": placed}, listed)
    handle = FakeHandle(cluster)
    handle.run.pods = {one.key: one for one in (pod, *placed, *others)}
    return plugin(plugin.Args(), handle).gang(pod)


def test_a_gang_is_said_with_its_pods_and_those_that_are_on_nodes(plugin):
    pod, placed, other = member("p0"), member("p1"), member("p2")
    gang = gang_of(
        plugin,
        pod,
        [placed],
        [other, member("x", group="others"), make_pod("solo")],
        PodGroup(name="gang", min_member=3),
    )
    assert (gang.key, gang.object) == ("default/gang", "scheduling.x-k8s.io/v1alpha1/PodGroup/default/gang")
    assert (gang.members, gang.placed, gang.least) == (("default/p0", "default/p1", "default/p2"), ("default/p1",), 3)


def test_a_pod_without_a_group_or_whose_group_does_not_exist_is_of_no_gang(plugin):
    assert gang_of(plugin, make_pod("solo"), [], [], PodGroup(name="gang", min_member=3)) is None
    assert gang_of(plugin, member("p0"), [], []) is None
