"""A history played through an API server, collected from there and read back: nothing of it is lost on the way, and the
engine agrees with each decision on the state before it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.collect.fields.allowed import PlainNames, projected
from scheduler_core.explain.reality import RealityOptions, reality
from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.bundle.reading import Bundle, open_bundle
from scheduler_core.simulate import RunInputs
from tests.api_server.live import Faults, LiveServer
from tests.api_server.serving import serving_live
from tests.live_cluster.history import Plan, Truth, history
from tests.scheduler_core.collect.collecting import DirectWay, plan_in, run_collection, until_level

SOME = Faults(seed=3, watch_gone=0.02, error_event=0.02, too_many=0.05, reset=0.1, silent_end=0.1, slow=0.05)


def collected(
    truth: Truth, folder: Path, faults: Faults | None = None, pause: float = 0.0
) -> tuple[Bundle, LiveServer]:
    """The bundle that a collector makes of the history, and the server at its end. Steps are played as fast as the
    server takes them, in groups."""
    with serving_live(truth.objects) as server:
        if faults is not None:
            server.faults = faults

        async def play(collection) -> None:
            for number, step in enumerate(truth.steps):
                server.apply(step.type, step.object)
                if number % 50 == 0:
                    await asyncio.sleep(pause)
            await until_level(collection, server)

        run_collection(plan_in(folder), DirectWay(server.address), play)
        path = folder / "bundle.tar.gz"
        return open_bundle(ManifestSource(path.name, path.read_bytes())), server


def assert_whole(bundle: Bundle, server: LiveServer) -> None:
    """At its end the bundle has each object that the server has, as far as its fields are collected. After a change of
    nothing that is collected it has the version of the one before."""
    at_end = {name: raw for name, raw in bundle.at_end().objects.items() if name.kind != "Event"}
    for kind in ("Node", "Pod", "PriorityClass", "Namespace"):
        served = [projected(kind, one["apiVersion"], one, PlainNames()) for one in server.of_kind(kind)]
        read = [msgspec.json.decode(raw) for name, raw in at_end.items() if name.kind == kind]
        assert {_key(one): _content(one) for one in read} == {_key(one): _content(one) for one in served}


def _key(one: Any) -> tuple[str, str]:
    return one["metadata"].get("namespace", ""), one["metadata"]["name"]


def _content(one: Any) -> Any:
    metadata = {name: value for name, value in one["metadata"].items() if name != "resourceVersion"}
    return msgspec.json.decode(msgspec.json.encode({**one, "metadata": metadata}))


def compared(bundle: Bundle):
    inputs = RunInputs(objects=ClusterObjects())
    return reality(bundle, RealityOptions(inputs=inputs, configuration="defaults", with_free_run=False))


def test_a_collected_history_is_whole_and_each_binding_agrees(tmp_path):
    truth = history(Plan(seed=2, n_nodes=6, n_pods=40, seconds=60, lifetime=30))
    bundle, server = collected(truth, tmp_path)
    assert_whole(bundle, server)
    report = compared(bundle)
    assert [(one.pod, one.node) for one in report.decisions if one.what == "binding"] == truth.bindings
    assert report.counted("binding", "agree", "chance") == len(truth.bindings)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_with_every_fault_on_the_way_the_end_is_whole_and_no_binding_differs(seed, tmp_path):
    # The history is played faster than its events say: their clock is not that of the collector.
    plan = Plan(seed=seed, n_nodes=16, n_pods=1_000, seconds=600, lifetime=60, cached=True)
    truth = history(plan)
    bundle, server = collected(truth, tmp_path, SOME, pause=0.02)
    assert_whole(bundle, server)
    report = compared(bundle)
    # What came and went while a watch was lost is in a gap; of what was seen, nothing differs.
    assert report.counted("binding", "differ") == 0
    assert report.counted("binding", "agree", "chance") >= 0.8 * len(truth.bindings)
