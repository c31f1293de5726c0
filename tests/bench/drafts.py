"""Drafts of a large cluster, as the pages use them (python -m tests.bench.drafts [--nodes N]).

Ten pods to a node. A signed-in client posts what the editor's form, the actions on chosen nodes, undo, redo and the
form that saves post; `*_ms` is the server's time by the clock until the answer, `*_cpu_ms` the processor's. The first
edit of a process reads the index of the base revision and is left out of the percentiles (`cold_edit_ms`).
`bytes_per_edit` is what an edit adds to the tables' contents, `bytes_per_save` what a saved revision adds.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.bench.calibration import REFERENCE_CPYTHON_S, calibration_cpython_s

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard.clusters.models import Draft

PODS_PER_NODE = 10
EDITS, SAVES, READINGS = 40, 10, 5


class Clock:
    """Milliseconds of repeated work, by the clock and of the processor."""

    def __init__(self) -> None:
        self.figures: dict[str, list[float]] = {}

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        """Return what the work returns; what it took is noted under the name."""
        cpu, wall = time.process_time(), time.perf_counter()
        result = work()
        self.figures.setdefault(f"{name}_ms", []).append((time.perf_counter() - wall) * 1e3)
        self.figures.setdefault(f"{name}_cpu_ms", []).append((time.process_time() - cpu) * 1e3)
        return result

    def percentiles(self, speed: float) -> dict[str, float]:
        """Return p50 and p95 of each figure, and p95 scaled to the reference's machine."""
        out: dict[str, float] = {}
        for name, values in self.figures.items():
            p95 = float(np.percentile(values, 95))
            out |= {f"{name}_p50": float(np.percentile(values, 50)), f"{name}_p95": p95}
            out[f"{name}_p95_scaled"] = p95 * REFERENCE_CPYTHON_S / speed
        return out


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """Yield one line of figures; ``cycles`` means nothing here. Raises ValueError where an answer is not a redirect."""
    before = calibration_cpython_s()
    bench = DraftBench(nodes)
    bench.measure()
    speed = (before + calibration_cpython_s()) / 2
    sizes = {"nodes": nodes, "pods": nodes * PODS_PER_NODE, "speed": speed}
    yield {"workload": "drafts", **sizes, **bench.single, **bench.clock.percentiles(speed)}


def node(number: int, cpu: int = 64) -> dict[str, Any]:
    """Return a node's manifest."""
    labels = {"kubernetes.io/hostname": f"node-{number:05}", "topology.kubernetes.io/zone": f"zone-{number % 3}"}
    allocatable = {"cpu": str(cpu), "memory": "256Gi", "pods": "110"}
    metadata = {"name": f"node-{number:05}", "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"allocatable": allocatable}}


def pod(number: int, nodes: int, cpu: int = 500) -> dict[str, Any]:
    """Return a bound pod's manifest."""
    requests = {"cpu": f"{cpu}m", "memory": "512Mi"}
    container = {"name": "main", "image": "app", "resources": {"requests": requests}}
    metadata = {"name": f"pod-{number:06}", "namespace": "default", "labels": {"app": f"app-{number % 200}"}}
    spec = {"containers": [container], "nodeName": f"node-{number % nodes:05}"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


class DraftBench:
    """A cluster with a draft, and what is measured of it."""

    def __init__(self, nodes: int) -> None:
        from tests.bench import recorded  # isort: skip  sets Django up
        from dashboard.clusters.drafts.actions import new_draft
        from dashboard.clusters.models import Cluster
        from dashboard.clusters.revisions import object_store
        from dashboard.clusters.revisions.object_store import Saving

        self.nodes, self.chance, self.clock = nodes, random.Random(3), Clock()
        self.single: dict[str, float] = {}
        owner = recorded.owner()
        member = owner.memberships.select_related("workspace", "user").get()
        cluster = Cluster.objects.create(workspace=member.workspace, slug=f"drafts-{nodes}", name=f"drafts-{nodes}")
        pods = [pod(number, nodes) for number in range(nodes * PODS_PER_NODE)]
        object_store.save_revision(cluster, [*map(node, range(nodes)), *pods], Saving(None))
        self.draft = new_draft(member, cluster, "Bench")
        self.client = recorded.client_of(owner)
        self.here = f"/w/{member.workspace.slug}/clusters/{cluster.slug}/"

    def measure(self) -> None:
        """Take all figures."""
        started = time.perf_counter()
        self._edit(0)
        self.single["cold_edit_ms"] = (time.perf_counter() - started) * 1e3
        self._contents()
        size = database_bytes()
        for number in range(1, EDITS + 1):
            self.clock.time("edit", partial(self._edit, number))
        self.single["bytes_per_edit"] = (database_bytes() - size) / EDITS
        for _ in range(EDITS // 2):
            names = [f"node-{one:05}" for one in self.chance.sample(range(self.nodes), min(50, self.nodes))]
            change = {"node": names, "what": "taint", "taint_key": f"k{self.chance.randrange(10**9)}"}
            self.clock.time("bulk_50", partial(self._post, "nodes/change", change))
            self.clock.time("undo", lambda: self._post(f"drafts/{self.draft.pk}/undo", {}))
            self.clock.time("redo", lambda: self._post(f"drafts/{self.draft.pk}/redo", {}))
        self._saves()
        self._contents()

    def _saves(self) -> None:
        self._post(f"drafts/{self.draft.pk}/save", {})
        grown = []
        for number in range(SAVES):
            self._edit(EDITS + number)
            size = database_bytes()
            self.clock.time("save", lambda: self._post(f"drafts/{self.draft.pk}/save", {}))
            grown.append(database_bytes() - size)
        self.single["bytes_per_save"] = float(np.mean(grown))

    def _contents(self) -> None:
        """Note what reading the draft takes with its base at hand, as pages and questions about it begin."""
        from dashboard.clusters.drafts.contents import contents_of_draft

        contents_of_draft(self._fresh())
        for number in range(READINGS):
            self._edit(1_000 + number)
            draft = self._fresh()
            self.clock.time("contents", partial(contents_of_draft, draft))

    def _fresh(self) -> Draft:
        from dashboard.clusters.models import Draft

        return Draft.objects.select_related("base__cluster", "cluster__workspace").get(pk=self.draft.pk)

    def _edit(self, number: int) -> None:
        which = self.chance.randrange(self.nodes * PODS_PER_NODE)
        raw = pod(which, self.nodes, 1_000 + number + self.chance.randrange(10**6))
        named = {"kind": "Pod", "ns": "default", "name": raw["metadata"]["name"]}
        self._post("object/save", {**named, "text": json.dumps(raw)})

    def _post(self, path: str, form: dict[str, Any]) -> None:
        answer = self.client.post(self.here + path, {"draft": self.draft.pk, **form})
        if answer.status_code != 302:
            raise ValueError(f"{path}: {answer.status_code} {answer.content[:2_000]!r}")


def database_bytes() -> int:
    """Return the bytes of all that drafts and revisions store, as the tables' contents have it."""
    from django.db import connection

    columns = {
        "clusters_objectblob": "LENGTH(data) + 40",
        "clusters_draftoperation": "LENGTH(name) + 48",
        "clusters_draftchange": "LENGTH(kind) + LENGTH(namespace) + LENGTH(name) + 88",
        "clusters_draftobject": "LENGTH(kind) + LENGTH(namespace) + LENGTH(name) + 88",
        "clusters_revision": "LENGTH(pages) + LENGTH(counts) + 200",
    }
    total = 0
    with connection.cursor() as cursor:
        for table, size in columns.items():
            cursor.execute(f"SELECT COALESCE(SUM({size}), 0) FROM {table}")
            total += int(cursor.fetchone()[0])
    return total


def main() -> None:
    """Print the line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    for line in lines(parser.parse_args().nodes, 0):
        print(json.dumps(line))


if __name__ == "__main__":
    main()
