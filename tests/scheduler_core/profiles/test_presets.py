"""Presets: each is a configuration without error, and runs as the seed that it cites describes."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.labels import NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, ClusterObjects, PreferredSchedulingTerm
from scheduler_core.cli.runs.simulate import run as simulate_here
from scheduler_core.columns.cluster import Cluster
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.manifests import ManifestSource, load_config
from scheduler_core.profiles import build
from scheduler_core.profiles.presets import PRESETS, find_preset
from scheduler_core.profiles.registry import in_tree
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.patience import PATIENCE

SECOND = 1_000_000
ROOT = Path(__file__).parents[3]


def run(name, nodes, pods, entries=(), **fields):
    """The session and its events and attempts after a run with the preset."""
    preset = find_preset(name)
    given = RunInputs(
        objects=ClusterObjects(nodes=nodes, pods=pods),
        configuration=preset.configuration(),
        policies=preset.applied_to(Policies()),
        timeline=Timeline(tuple(entries)),
        **fields,
    )
    session, events, attempts = RunSession.start(given), [], []
    session.simulation.observers.append(events.append)
    session.simulation.scheduler.on_attempt = attempts.append
    session.advance()
    return session, events, attempts


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS.keys())
def test_a_preset_is_a_configuration_that_also_its_text_gives(preset):
    loaded, findings = load_config(ManifestSource(f"{preset.name}.yaml", preset.text.encode()))
    assert findings == []
    assert loaded == preset.configuration()
    assert preset.source
    assert preset.applied_to(Policies(binding_us=7)).binding_us == 7


@pytest.mark.parametrize("name", [name for name, preset in PRESETS.items() if not preset.plugin])
def test_a_preset_runs(name):
    session, _, _ = run(name, [make_node("n")], [make_pod("p", uid="")])
    assert [bool(pod.node_name) for pod in session.simulation.world.pods.values()] == [True]


def test_the_default_preset_is_the_empty_configuration():
    assert find_preset("default").configuration() == SchedulerConfiguration()
    assert find_preset("default").applied_to(Policies()) == Policies()


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("DefaultProvider", "least-requested-2017"),
        ("default-provider", "least-requested-2017"),
        ("ClusterAutoScalerProvider", "most-requested-2017"),
        ("ClusterAutoscalerProvider", "most-requested-2017"),
        ("cluster autoscaler provider", "most-requested-2017"),
        ("MOVE_CYCLE", "move-cycle-queue-2021"),
    ],
)
def test_names_of_the_seeds_are_accepted_in_other_spellings(spelling, name):
    assert find_preset(spelling).name == name


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match='there is no preset "defaults"; known are default, most-allocated'):
        find_preset("defaults")


# --- v1.34 with other arguments ------------------------------------------------------------------------------------
def test_most_allocated_fills_the_node_that_is_used_already():
    nodes = [make_node("used", cpu="4", memory="8Gi"), make_node("empty", cpu="4", memory="8Gi")]
    there = make_pod("there", cpu="1", memory="2Gi", uid="", node_name="used", phase="Running")
    pods = [there, make_pod("p", cpu="1", memory="2Gi", uid="")]
    assert run("bin-packing", nodes, pods)[2][0].node == "used"
    assert run("default", nodes, pods)[2][0].node == "empty"


def test_gpus_are_packed_where_the_rest_of_the_node_is_emptier():
    """4 cpus on each; "gpus" has 2 of 4 GPUs requested and no cpu, "cpus" has no GPU requested and 2 cpus."""
    gpu = "nvidia.com/gpu"
    nodes = [make_node(name, cpu="4", memory="8Gi", extended={gpu: "4"}) for name in ("gpus", "cpus")]
    pods = [
        make_pod("a", uid="", node_name="gpus", phase="Running", extended={gpu: "2"}),
        make_pod("b", cpu="2", uid="", node_name="cpus", phase="Running"),
        make_pod("p", cpu="1", memory="1Gi", uid="", extended={gpu: "1"}),
    ]
    assert run("pack-gpus", nodes, pods)[2][0].node == "gpus"


def test_looking_stops_at_the_least_number_of_nodes():
    """A tenth of 240 is below 100, at which kube-scheduler stops at the earliest."""
    nodes = [make_node(f"n{i}") for i in range(240)]
    scored = {name: len(run(name, nodes, [POD])[2][0].scores.rows) for name in ("default", "sampled-nodes")}
    assert scored == {"default": 240, "sampled-nodes": 100}


def test_a_large_cluster_is_sampled_as_kube_scheduler_does_by_itself():
    """50 - 500/125 = 46 percent of 500 nodes."""
    nodes = [make_node(f"n{i}") for i in range(500)]
    assert len(run("large-cluster-sampling", nodes, [POD])[2][0].scores.rows) == 230


@pytest.mark.parametrize(
    ("name", "node", "totals"),
    [("least-requested-alone-2017", "n4", {"n2": 7, "n4": 8}), ("most-requested-alone-2017", "n2", {"n2": 2, "n4": 1})],
)
def test_the_two_algorithms_alone_choose_as_the_seeds_example_says(name, node, totals):
    """1 cpu on nodes of 2 and 4. Free: 5 and 7 of 10 in cpu, 9 in memory, of which 200 of 4096 MiB count as requested.
    Requested: 5 and 2 in cpu, 0 in memory. Each mean is truncated."""
    nodes = [make_node("n2", cpu="2", memory="4Gi"), make_node("n4", cpu="4", memory="4Gi")]
    session, _, (attempt,) = run(name, nodes, [make_pod("p", cpu="1", uid="")])
    names = [session.simulation.context.cluster.name_of(row) for row in attempt.scores.rows.tolist()]
    assert dict(zip(names, attempt.scores.totals.tolist(), strict=True)) == totals
    assert attempt.node == node


def test_zones_are_the_only_default_constraint():
    (profile,) = find_preset("zone-spread").configuration().profiles
    (constraint,) = profile.plugin_config["PodTopologySpread"]["defaultConstraints"]
    assert (constraint["topologyKey"], constraint["maxSkew"]) == ("topology.kubernetes.io/zone", 1)


# --- seed 002: the two providers -----------------------------------------------------------------------------------
SIZES = [make_node("two", cpu="2", memory="4Gi"), make_node("four", cpu="4", memory="4Gi")]
POD = make_pod("p", cpu="1", memory="1Gi", uid="")


@pytest.mark.parametrize(
    ("provider", "scores", "node"),
    [
        # two: least (5+7)/2 = 6, balanced 10 - 10*|0.5-0.25| = 7; four: least (7+7)/2 = 7, balanced 10
        ("DefaultProvider", {"two": 6 + 7, "four": 7 + 10}, "four"),
        # two: most (5+2)/2 = 3, balanced 7; four: most (2+2)/2 = 2, balanced 10
        ("ClusterAutoScalerProvider", {"two": 3 + 7, "four": 2 + 10}, "four"),
    ],
)
def test_the_providers_add_up_their_priorities(provider, scores, node):
    """Seed 002, Node Prioritization on Resources: computed by hand for 1 cpu and 1Gi on 2 and 4 cpus."""
    session, _, (attempt,) = run(provider, SIZES, [POD])
    cluster = session.simulation.context.cluster
    rows = attempt.scores.rows.tolist()
    assert dict(zip(map(cluster.name_of, rows), attempt.scores.totals.tolist(), strict=True)) == scores
    assert attempt.node == node


def test_most_requested_packs_where_least_requested_spreads():
    """Seed 002: where both are equally balanced, the one tends to the smaller node and the other to the larger."""
    nodes = [make_node("two", cpu="2", memory="2Gi"), make_node("four", cpu="4", memory="4Gi")]
    assert run("DefaultProvider", nodes, [POD])[2][0].node == "four"
    assert run("ClusterAutoScalerProvider", nodes, [POD])[2][0].node == "two"


# --- seed 003: map, reduce, weights, reservoir ---------------------------------------------------------------------
def test_the_matrix_is_reduced_per_plugin_and_summed_with_weights():
    """Seed 003, 2.1 to 2.4. Preferences of weight 30 for ssd and 10 for zone a map to 40, 30 and 0; the reduction by
    the largest gives 100, 75 and 0. Nodes of 2, 4 and 4 cpus add 10 times the priorities of seed 002 (see above)."""
    prefer = [("disk", "ssd", 30), ("zone", "a", 10)]
    terms = tuple(
        PreferredSchedulingTerm(weight, NodeSelectorTerm((Requirement(key, "In", (value,)),)))
        for key, value, weight in prefer
    )
    nodes = [
        make_node("both", cpu="2", memory="4Gi", labels={"disk": "ssd", "zone": "a"}),
        make_node("ssd", cpu="4", memory="4Gi", labels={"disk": "ssd"}),
        make_node("none", cpu="4", memory="4Gi", taints=("old:PreferNoSchedule",)),
    ]
    pod = msgspec.structs.replace(POD, affinity=Affinity(node_preferred=terms))
    session, _, (attempt,) = run("map-reduce", nodes, [pod])
    names = [session.simulation.context.cluster.name_of(row) for row in attempt.scores.rows.tolist()]
    matrix = {scored.plugin: dict(zip(names, scored.norm.tolist(), strict=True)) for scored in attempt.scores.plugins}
    assert matrix == {
        "LeastRequestedPriority": {"both": 6, "ssd": 7, "none": 7},
        "BalancedResourceAllocation": {"both": 7, "ssd": 10, "none": 10},
        "NodeAffinity": {"both": 100, "ssd": 75, "none": 0},
        "TaintToleration": {"both": 100, "ssd": 100, "none": 0},
    }
    weights = {scored.plugin: scored.weight for scored in attempt.scores.plugins}
    assert weights == {
        "LeastRequestedPriority": 10, "BalancedResourceAllocation": 10, "NodeAffinity": 1, "TaintToleration": 1,
    }  # fmt: skip
    totals = dict(zip(names, attempt.scores.totals.tolist(), strict=True))
    assert totals == {"both": 60 + 70 + 100 + 100, "ssd": 70 + 100 + 75 + 100, "none": 70 + 100}
    assert attempt.node == "ssd"


class Scripted(RunContext):
    """Draws as the script says, and notes out of how many."""

    def __init__(self, script):
        super().__init__(Cluster())
        self.reservoir = True
        self.script = list(script)
        self.asked = []

    def _number(self, purpose, n):
        self.asked.append(n)
        return self.script.pop(0)


@pytest.mark.parametrize(("script", "drawn"), [((1, 2, 3), 0), ((0, 1, 2), 1), ((0, 0, 1), 2), ((1, 1, 0), 3)])
def test_an_equal_replaces_the_kept_one_when_its_draw_is_zero(script, drawn):
    """Seed 003, 2.5: cntOfMaxScore grows with each equal, and rand.Intn(cntOfMaxScore) == 0 replaces."""
    context = Scripted(script)
    assert context.draw("host", 4) == drawn
    assert context.asked == [2, 3, 4]


def test_each_equal_has_the_same_chance():
    """Seed 003, 2.5: 1/n each. With 4,000 draws of 4, 1,000 each; 150 is more than five standard deviations."""
    context = RunContext(Cluster(), seed=5)
    context.reservoir = True
    counts: Counter[int] = Counter()
    for context.cycle in range(4000):
        counts[context.draw("host", 4)] += 1
    assert np.abs(np.array([counts[i] for i in range(4)]) - 1000).max() < 150


def test_runs_with_a_reservoir_repeat():
    nodes = [make_node(f"n{i}") for i in range(5)]
    pods = [make_pod(f"p{i}", uid="") for i in range(5)]
    hashes = {run("map-reduce", nodes, pods, seed=3)[0].recording_hash() for _ in range(2)}
    assert len(hashes) == 1


# --- seed 001: preemption ------------------------------------------------------------------------------------------
def test_the_older_preemption_runs_in_place_of_the_newer():
    """Seed 001, 2.1; the rules themselves are tested with the plugin."""
    victim = make_pod("low", cpu="2", uid="", node_name="n", phase="Running", start_time=1.0)
    high = make_pod("high", cpu="2", priority=10, uid="")
    session, events, _ = run("generic-preemption-2020", [make_node("n", cpu="2")], [victim, high])
    (decision,) = [event for event in events if isinstance(event, ev.PreemptionDecided) and event.candidates]
    assert (decision.nominated_node, decision.criterion) == ("n", "only")
    assert session.simulation.world.pods.keys() == {"default/high"}
    points = session.simulation.frameworks["default-scheduler"].points
    assert "DefaultPreemption" not in [plugin.name for plugin in points.post_filter]


# --- seed 000: the queue -------------------------------------------------------------------------------------------
BIG = make_pod("big", cpu="64", uid="")


def moves(preset, *entries):
    _, events, _ = run(
        preset, [make_node("n")], [BIG], [TimelineEntry(*entry) for entry in entries], schedule="timeline"
    )
    return [
        (event.at / SECOND, event.source, event.target, event.event)
        for event in events
        if isinstance(event, ev.QueueMove) and event.pod == "default/big"
    ]


def test_events_are_names_and_wake_whom_a_hint_would_let_sleep():
    """Seed 000, movePodsToActiveOrBackoffQueue: a node too small for the pod moves it; the hint of v1.34 skips."""
    small = (5 * SECOND, "put", make_node("small", cpu="1"))
    assert (5.0, "unschedulable", "active", "NodeAdd") in moves("move-cycle", small)
    assert all(event != "NodeAdd" for *_, event in moves("default", small))


def test_events_have_the_names_of_their_year():
    """Seed 000: PodAdd, BackoffComplete, UnschedulableTimeout."""
    grown = (5 * SECOND, "put", make_node("n", cpu="2"))
    assert {move[3] for move in moves("move-cycle", grown)} >= {"PodAdd", "NodeAllocatableChange"}
    assert {move[3] for move in moves("default", grown)} >= {"UnschedulablePodAdd"}


def test_a_pod_stays_unschedulable_for_60_seconds_and_is_flushed_at_the_next_30():
    """Seed 000, flushUnschedulableQLeftover: every 30 s, those longer than the interval; 60 s is not longer."""
    late = (200 * SECOND, "put", make_pod("late", cpu="64", uid=""))
    flushed = [move for move in moves("move-cycle", late) if move[3] == "UnschedulableTimeout"]
    assert flushed[0] == (90.0, "unschedulable", "active", "UnschedulableTimeout")
    newer = [move for move in moves("default", late) if move[3] == "UnschedulableTimeout"]
    assert newer[0][0] == 330.0  # v1.34: 5 minutes


def test_a_move_request_during_the_attempt_sends_the_pod_to_backoff():
    """Seed 000: moveRequestCycle is set to the scheduling cycle; a binding that ends within the next attempt asks for
    such a move. Backoff of the first attempt: 1 s, flushed at the next full second."""
    preset = find_preset("move-cycle")
    assert preset.configuration().pod_initial_backoff_seconds == 1
    assert preset.configuration().pod_max_backoff_seconds == 10
    nodes = [make_node(f"small-{i}", cpu="1") for i in range(3)]
    entries = [(at, "put", node) for at, node in zip((100_000, 1_200_000, 3_300_000), nodes, strict=True)]
    woken = [move for move in moves("move-cycle", *entries) if move[3] in ("NodeAdd", "BackoffComplete")]
    assert woken[:2] == [(0.1, "unschedulable", "backoff", "NodeAdd"), (1.0, "backoff", "active", "BackoffComplete")]


# --- the command line ----------------------------------------------------------------------------------------------
CLUSTER = b"""\
apiVersion: v1
kind: Node
metadata: {name: two}
status: {allocatable: {cpu: "2", memory: 2Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: four}
status: {allocatable: {cpu: "4", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: main, resources: {requests: {cpu: "1", memory: 1Gi}}}]}
"""


def simulate(tmp_path, *options):
    (tmp_path / "cluster.yaml").write_bytes(CLUSTER)
    command = [sys.executable, "-m", "scheduler_core", "simulate", str(tmp_path / "cluster.yaml"), "--json", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT, check=False)


@pytest.mark.slow
def test_the_command_line_takes_a_preset(tmp_path):
    done = simulate(tmp_path, "--preset", "ClusterAutoScalerProvider")
    assert done.returncode == 0, done.stderr
    assert msgspec.json.decode(done.stdout)["placements"] == {"default/p": "two"}


@pytest.mark.slow
def test_the_command_line_refuses_what_is_no_preset(tmp_path):
    done = simulate(tmp_path, "--preset", "nonsense")
    assert done.returncode == 1
    assert done.stderr.startswith("--preset: ")


def test_a_preset_whose_plugin_is_not_installed_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(build, "installed", in_tree)
    (tmp_path / "cluster.yaml").write_bytes(CLUSTER)
    assert simulate_here([str(tmp_path / "cluster.yaml"), "--preset", "coscheduling"]) == 1
    advice = "plugin Coscheduling is not installed here. Install its package: pip install ./examples/coscheduling\n"
    assert capsys.readouterr().err.endswith(advice)
