"""CapacityScheduling, an example package: namespaces borrow from each other's quotas and take back what was lent."""

from __future__ import annotations

import tomllib

import msgspec
import pytest
import yaml

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import Container, ElasticQuota, PodDisruptionBudget
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.manifests import ManifestSource, load_cluster
from scheduler_core.profiles.registry import installed
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunSession, timeline_from_raw
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.check_plugin import check_plugin
from scheduler_core.testing.fake_handle import FakeHandle
from tests.examples.quota_runs import (
    GPU,
    NO_VICTIMS,
    OVER_MAX,
    OVER_MIN,
    PACKAGE,
    QuotaRun,
    at,
    cpu_pod,
    cpus,
    gpu_pod,
    gpus,
    inputs,
    quota,
    registry,
    used,
)


@pytest.fixture
def plugin():
    return registry().factories["CapacityScheduling"]


def messages(run, pod):
    return [event.message for event in run.of(ev.CycleFinished) if event.pod == pod]


def preempted(run):
    """(preemptor, node, victims) of every preemption."""
    return [(e.pod, e.nominated_node, e.chosen.victims) for e in run.of(ev.PreemptionDecided) if e.chosen is not None]


def asked(plugin, pod, *, quotas=(), placed=()):
    """The plugin on a cluster of one node, and what its PreFilter says of the pod."""
    cluster = make_cluster([make_node("n", cpu="100")], {"n": placed}, quotas)
    made = plugin(plugin.Args(), FakeHandle(cluster))
    return made, made.pre_filter(CycleState(), cluster.info(pod)), cluster.info(pod)


# --- the package -----------------------------------------------------------------------------------------------------
def test_it_keeps_the_contract(plugin):
    check_plugin(plugin)


def test_it_is_found_by_the_entry_point_of_its_metadata(tmp_path, monkeypatch, plugin):
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    metadata = tmp_path / "schedscope_capacity_scheduling-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0.1.0\n")
    points = project["entry-points"]["schedscope.plugins"]
    lines = "".join(f"{name} = {target}\n" for name, target in points.items())
    (metadata / "entry_points.txt").write_text(f"[schedscope.plugins]\n{lines}")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert installed().factories["CapacityScheduling"] is plugin


def test_its_configuration_replaces_the_default_preemption(plugin):
    session = RunSession.start(inputs([], []), registry())
    points = session.simulation.frameworks["default-scheduler"].points
    assert [p.name for p in points.post_filter] == ["CapacityScheduling"]
    assert {"CapacityScheduling"} <= {p.name for p in points.pre_filter} & {p.name for p in points.reserve}


# --- PreFilter -------------------------------------------------------------------------------------------------------
def test_a_pod_of_a_namespace_without_a_quota_passes(plugin):
    _, result, _ = asked(plugin, cpu_pod("p", "free", 50), quotas=[cpus("a", 1, 1)])
    assert result.status.is_success


@pytest.mark.parametrize(("count", "text"), [(2, ""), (3, OVER_MAX.format("a/p", "a"))])
def test_a_namespace_reaches_its_max_and_goes_no_further(plugin, count, text):
    placed = [cpu_pod("there", "a", 4)]
    _, result, _ = asked(plugin, cpu_pod("p", "a", count), quotas=[cpus("a", 4, 6), cpus("b", 6, 8)], placed=placed)
    assert result.status.message == text
    assert not result.status.message or result.status.code.label == "Unschedulable"


def test_all_together_use_no_more_than_their_mins_add_up_to(plugin):
    placed = [cpu_pod("a1", "a", 6), cpu_pod("b1", "b", 3)]
    quotas = [cpus("a", 4, 6), cpus("b", 6, 8)]
    _, fits, _ = asked(plugin, cpu_pod("p", "b", 1), quotas=quotas, placed=placed)
    _, refused, _ = asked(plugin, cpu_pod("p", "b", 2), quotas=quotas, placed=placed)
    assert fits.status.is_success
    assert refused.status.message == OVER_MIN.format("b/p")


def test_a_quota_without_max_is_not_bounded_and_one_without_min_guarantees_nothing(plugin):
    _, unbounded, _ = asked(plugin, cpu_pod("p", "a", 90), quotas=[quota("a", {"cpu": "90"}, None)])
    _, nothing, _ = asked(plugin, cpu_pod("p", "a", 1), quotas=[quota("a", None, {"cpu": "90"})])
    assert unbounded.status.is_success
    assert nothing.status.message == OVER_MIN.format("a/p")


def test_a_resource_of_its_own_that_a_max_does_not_name_has_no_limit(plugin):
    only_cpu = ElasticQuota(name="q", namespace="a", min={GPU: 4}, max={"cpu": 6000})
    pod = make_pod("p", cpu="0", namespace="a", extended={GPU: "4"})
    _, result, _ = asked(plugin, pod, quotas=[only_cpu])
    assert result.status.is_success


def test_a_max_that_names_cpu_only_refuses_every_pod_that_requests_memory_and_says_why(plugin):
    only_cpu = ElasticQuota(name="q", namespace="a", min={"cpu": 6000, "memory": 1 << 40}, max={"cpu": 6000})
    made, passes, _ = asked(plugin, cpu_pod("p", "a", 1), quotas=[only_cpu])
    assert passes.status.is_success
    made, result, info = asked(plugin, make_pod("p", cpu="1", memory="128Mi", namespace="a"), quotas=[only_cpu])
    assert result.status.message == OVER_MAX.format("a/p", "a")
    cpu, memory = made.pre_filter_facts(info)
    assert not cpu.refuses
    assert (memory.refuses, memory.is_named, memory.limit) == (True, False, 0)


def test_facts_of_a_refusal_have_its_numbers(plugin):
    placed = [cpu_pod("a1", "a", 6), cpu_pod("b1", "b", 3)]
    made, _, info = asked(plugin, cpu_pod("p", "b", 2), quotas=[cpus("a", 4, 6), cpus("b", 6, 8)], placed=placed)
    (fact,) = made.pre_filter_facts(info)
    assert (fact.request, fact.used, fact.limit, fact.refuses) == (2000, 9000, 10_000, True)


ONLY_CPU = ElasticQuota(name="q", namespace="a", min={"cpu": 6000, "memory": 1 << 40}, max={"cpu": 6000})
IN_USE = [cpu_pod("a1", "a", 6), cpu_pod("b1", "b", 3)]


@pytest.mark.parametrize(
    ("pod", "quotas", "placed", "sentence"),
    [
        (make_pod("p", cpu="1", memory="128Mi", namespace="a"), [ONLY_CPU], [],
         "requests 128Mi of memory, namespace a uses 0; max of ElasticQuota a/q does not name memory, and what a max "
         "leaves out counts as 0"),
        (cpu_pod("p", "b", 2), [cpus("a", 4, 6), cpus("b", 6, 8)], IN_USE,
         "requests 2 of cpu, all namespaces with a quota use 9; the mins of all quotas add up to 10"),
    ],
    ids=["a max that does not name memory", "the mins of all quotas"],
)  # fmt: skip
def test_words_of_facts(plugin, pod, quotas, placed, sentence):
    made, _, info = asked(plugin, pod, quotas=quotas, placed=placed)
    assert made.pre_filter_facts(info)[-1].words() == sentence


def test_init_containers_count_one_by_one_and_overhead_is_added(plugin):
    from schedscope_capacity_scheduling.requests import request_of

    pod = make_pod(
        "p",
        containers=(Container("a", requests={"cpu": 1000}), Container("b", requests={"cpu": 500, "memory": 5})),
        init_containers=(
            Container("i", requests={"cpu": 2000, "memory": 3}),
            Container("sidecar", requests={"cpu": 100}, restart_policy="Always"),
        ),
        overhead={"cpu": 10},
    )
    assert request_of(pod) == {"cpu": 2010, "memory": 5}


def test_nominated_pods_count_in_by_namespace_and_priority(plugin):
    """A pod of the own namespace that is as important counts; so do those of others that are within their min."""
    cluster = make_cluster([make_node("n", cpu="100")], {}, [cpus("a", 4, 5), cpus("b", 4, 9)])
    made = plugin(plugin.Args(), FakeHandle(cluster))
    nominated = []
    made.handle.run.nominated_nodes = lambda: ["n", "gone"]
    made.handle.run.nominated_pods = lambda name: [cluster.info(pod) for pod in nominated if name == "n"]

    def message(pod):
        return made.pre_filter(CycleState(), cluster.info(pod)).status.message

    pod = cpu_pod("p", "a", 3, priority=5)
    assert message(pod) == ""
    nominated[:] = [cpu_pod("other", "a", 3, priority=4), cpu_pod("p", "a", 3, priority=5)]
    assert message(pod) == "", "a less important pod and the pod itself do not count"
    nominated[:] = [cpu_pod("other", "a", 3, priority=5)]
    assert message(pod) == OVER_MAX.format("a/p", "a")
    nominated[:] = [cpu_pod("other", "b", 6, priority=0)]
    assert message(pod) == OVER_MIN.format("a/p")
    cluster.put_pod(cluster.info(cpu_pod("there", "b", 5)), "n")
    assert message(pod) == "", "nominated pods of a namespace that is over its min do not count"


# --- whose pods may be taken -----------------------------------------------------------------------------------------
def test_who_goes_beyond_its_min_takes_only_lower_pods_of_its_own(plugin):
    quotas = [cpus("a", 4, 8), cpus("b", 4, 8)]
    pods = [cpu_pod("low", "a", 4, priority=1), cpu_pod("b1", "b", 4)]
    entries = [*(at(i, pod) for i, pod in enumerate(pods)), at(10, cpu_pod("high", "a", 4, priority=9))]
    run = QuotaRun(inputs(quotas, entries))
    assert preempted(run) == [("a/high", "n", ("a/low",))]
    assert run.placed == {"a": ["a/high"], "b": ["b/b1"]}


def test_who_stays_within_its_min_takes_back_whatever_the_priority(plugin):
    quotas = [cpus("a", 4, 8), cpus("b", 4, 8)]
    entries = [*(at(i, cpu_pod(f"b{i}", "b", priority=1000 - i)) for i in range(4)), at(10, cpu_pod("a1", "a", 4))]
    run = QuotaRun(inputs(quotas, entries))
    assert preempted(run) == [("a/a1", "n", ("b/b2", "b/b3"))]
    assert run.placed == {"a": ["a/a1"], "b": ["b/b0", "b/b1"]}


def test_pods_without_a_quota_are_safe_from_those_with_one_and_the_other_way_round(plugin):
    entries = [
        at(0, cpu_pod("free", "free", 4)),
        at(1, cpu_pod("a1", "a", 4)),
        at(5, cpu_pod("a2", "a", 4, priority=9)),
    ]
    entries.append(at(9, cpu_pod("mine", "free", 4, priority=9)))
    run = QuotaRun(inputs([cpus("a", 8, 8)], entries))
    assert "1 Insufficient cpu." in messages(run, "a/a2")[0]
    assert messages(run, "a/a2")[0].endswith(NO_VICTIMS.format("a2"))
    assert preempted(run) == [("free/mine", "n", ("free/free",))]


def test_a_pod_that_never_preempts_says_so_without_a_prefix(plugin):
    entries = [at(0, cpu_pod("a1", "a", 6)), at(5, cpu_pod("a2", "a", 2, priority=9, preemption_policy="Never"))]
    run = QuotaRun(inputs([cpus("a", 6, 6)], entries))
    assert messages(run, "a/a2")[0] == (
        f"0/1 nodes are available: {OVER_MAX.format('a/a2', 'a')}. not eligible due to preemptionPolicy=Never."
    )


def test_a_guarded_pod_is_brought_back_first(plugin):
    guard = PodDisruptionBudget(
        name="guard", namespace="b", selector=LabelSelector((Requirement("app", "In", ("db",)),)), disruptions_allowed=0
    )
    entries = [at(i, cpu_pod(f"b{i}", "b", labels={"app": "db"} if i == 3 else {"app": "x"})) for i in range(4)]
    given = inputs([cpus("a", 4, 8), cpus("b", 4, 8)], [*entries, at(10, cpu_pod("a1", "a", 2))])
    objects = msgspec.structs.replace(given.objects, pod_disruption_budgets=[guard])
    run = QuotaRun(msgspec.structs.replace(given, objects=objects))
    (decided,) = [event for event in run.of(ev.PreemptionDecided) if event.chosen is not None]
    assert (decided.chosen.victims, decided.chosen.reprieved) == (("b/b2",), ("b/b3",))


# --- stories with results worked out by hand -------------------------------------------------------------------------
def test_story_of_two_quotas_on_ten_gpus(plugin):
    """A(4..6) borrows up to its max of 6; B(6..8) takes 2 of them back; then neither can go on."""
    node = make_node("n", cpu="64", memory="64Gi", extended={GPU: "10"})
    entries = [
        at(0, gpu_pod("a1", "a", 2)), at(0, gpu_pod("b1", "b", 3)),
        at(10, gpu_pod("a2", "a", 2)),
        at(20, gpu_pod("a3", "a", 2)), at(21, gpu_pod("a4", "a", 1)),
        at(30, gpu_pod("b2", "b", 3)),
        at(90, gpu_pod("b3", "b", 1)), at(91, gpu_pod("b4", "b", 2)),
    ]  # fmt: skip
    run = QuotaRun(inputs([gpus("a", 4, 6), gpus("b", 6, 8)], entries, [node]))
    assert OVER_MAX.format("a/a4", "a") in messages(run, "a/a4")[0]
    assert OVER_MIN.format("b/b2") in messages(run, "b/b2")[0]
    assert preempted(run) == [("b/b2", "n", ("a/a3",))]
    for pod in ("b/b3", "b/b4"):
        assert OVER_MIN.format(pod) in messages(run, pod)[0]
        assert NO_VICTIMS.format(pod[2:]) in messages(run, pod)[0]
    assert run.placed == {"a": ["a/a1", "a/a2"], "b": ["b/b1", "b/b2"]}
    assert used(run.session, GPU) == {"a": 4, "b": 6}


def test_story_of_three_quotas_takes_from_the_one_that_borrows(plugin):
    """A(3..4) uses 4, B(4..6) 3 and C(3..4) 3 of 10: B's next pod stays within its min and takes one of A's."""
    node = make_node("n", cpu="64", memory="64Gi", extended={GPU: "10"})
    pods = [*(gpu_pod(f"a{i}", "a", 1, priority=9) for i in range(4)), *(gpu_pod(f"b{i}", "b", 1) for i in range(3))]
    pods += [gpu_pod(f"c{i}", "c", 1) for i in range(3)]
    entries = [*(at(i, pod) for i, pod in enumerate(pods)), at(30, gpu_pod("b9", "b", 1))]
    run = QuotaRun(inputs([gpus("a", 3, 4), gpus("b", 4, 6), gpus("c", 3, 4)], entries, [node]))
    assert preempted(run) == [("b/b9", "n", ("a/a3",))]
    assert used(run.session, GPU) == {"a": 3, "b": 4, "c": 3}


def test_story_of_three_quotas_beyond_the_min_takes_from_its_own(plugin):
    """A uses 2, C 3, and B's two pods 5 of 10: B's third pod goes beyond its min of 4 and takes B's lowest pod."""
    node = make_node("n", cpu="64", memory="64Gi", extended={GPU: "10"})
    pods = [
        gpu_pod("a1", "a", 2),
        gpu_pod("c1", "c", 3),
        gpu_pod("pod-a", "b", 2),
        gpu_pod("pod-b", "b", 3, priority=9),
    ]
    entries = [*(at(i, pod) for i, pod in enumerate(pods)), at(30, gpu_pod("pod-c", "b", 1, priority=9))]
    run = QuotaRun(inputs([gpus("a", 3, 4), gpus("b", 4, 6), gpus("c", 3, 4)], entries, [node]))
    assert preempted(run) == [("b/pod-c", "n", ("b/pod-a",))]
    assert used(run.session, GPU) == {"a": 2, "b": 4, "c": 3}


def test_the_tutorial_of_two_quotas_on_eight_cpus(plugin):
    """Each 4..6: the first stops at three of its four pods of 2 cpu, the second takes one back and both have 4."""
    entries = [
        *(at(i, cpu_pod(f"nginx-{i}", "quota1")) for i in range(4)),
        *(at(30 + i, cpu_pod(f"nginx-{i}", "quota2")) for i in range(2)),
    ]
    only_cpu = [
        ElasticQuota(name=ns, namespace=ns, min={"cpu": 4000}, max={"cpu": 6000}) for ns in ("quota1", "quota2")
    ]
    run = QuotaRun(inputs(only_cpu, entries))
    assert messages(run, "quota1/nginx-3")[0] == (
        f"0/1 nodes are available: {OVER_MAX.format('quota1/nginx-3', 'quota1')}. "
        f"0/1 nodes are available: 1 {NO_VICTIMS.format('nginx-3')}"
    )
    assert messages(run, "quota2/nginx-0") == [""]
    assert messages(run, "quota2/nginx-1")[0] == f"0/1 nodes are available: {OVER_MIN.format('quota2/nginx-1')}. "[:-1]
    assert preempted(run) == [("quota2/nginx-1", "n", ("quota1/nginx-2",))]
    assert used(run.session) == {"quota1": 4000, "quota2": 4000}


# --- events, and state that is restored ------------------------------------------------------------------------------
def test_a_quota_that_changes_wakes_the_pods_that_it_refused(plugin):
    entries = [at(0, cpu_pod("p", "a", 4)), at(5, cpus("a", 8, 8))]
    run = QuotaRun(inputs([cpus("a", 2, 2)], entries))
    assert run.placed == {"a": ["a/p"]}
    assert {move.event for move in run.of(ev.QueueMove) if move.plugin == "CapacityScheduling"} == {
        "ElasticQuotaUpdate"
    }


def test_a_quota_that_goes_sets_its_pods_free(plugin):
    entries = [at(0, cpu_pod("p", "a", 4)), at(5, cpus("a", 2, 2), "delete")]
    assert QuotaRun(inputs([cpus("a", 2, 2)], entries)).placed == {"a": ["a/p"]}


def test_pods_that_were_there_before_the_quota_are_counted(plugin):
    bound = [cpu_pod("old", "a", 4, node_name="n", phase="Running")]
    run = QuotaRun(inputs([cpus("a", 8, 5)], [at(1, cpu_pod("p", "a", 2))], pods=bound))
    assert OVER_MAX.format("a/p", "a") in messages(run, "a/p")[0]


@pytest.mark.parametrize("every", [1, 3, 8])
def test_what_is_used_survives_save_and_restore(plugin, every):
    quotas = [cpus("a", 4, 6), cpus("b", 4, 6)]
    entries = [
        *(at(i, cpu_pod(f"a{i}", "a")) for i in range(4)),
        *(at(30 + i, cpu_pod(f"b{i}", "b")) for i in range(3)),
    ]
    given = inputs(quotas, entries)
    expected = QuotaRun(given)
    assert preempted(expected)
    session, going = RunSession.start(given, registry()), True
    while going:
        for _ in range(every):
            going = session.simulation.step()
        chunk = session.cut_chunk()
        if chunk is not None:
            session = RunSession.resume(given, chunk.keyframe, registry())
            counted = session.simulation.frameworks["default-scheduler"].plugins["CapacityScheduling"].usage.now()
            assert {ns: total for ns in counted if (total := counted[ns]["cpu"])} == used(session)
    assert session.recording_hash() == expected.session.recording_hash()


def test_plain_and_cached_engine_decide_the_same(plugin):
    quotas = [cpus("a", 4, 6), cpus("b", 4, 6)]
    entries = [
        *(at(i, cpu_pod(f"a{i}", "a")) for i in range(4)),
        *(at(30 + i, cpu_pod(f"b{i}", "b")) for i in range(3)),
    ]
    hashes = set()
    for cached in (True, False):
        session = RunSession.start(inputs(quotas, entries), registry(), cached=cached)
        session.advance()
        hashes.add(session.recording_hash())
    assert len(hashes) == 1


def test_the_example_files_lend_two_cpus_and_take_them_back(plugin):
    loaded = load_cluster([ManifestSource("lending.yaml", (PACKAGE / "lending.yaml").read_bytes())])
    assert loaded.findings == []
    timeline = timeline_from_raw(yaml.safe_load((PACKAGE / "lending-timeline.yaml").read_text()))
    run = QuotaRun(msgspec.structs.replace(inputs([], []), objects=loaded.objects, timeline=timeline))
    assert OVER_MAX.format("team-a/web-3", "team-a") in messages(run, "team-a/web-3")[0]
    assert preempted(run) == [("team-b/train-1", "one", ("team-a/web-2",))]
    assert used(run.session) == {"team-a": 4000, "team-b": 4000}
