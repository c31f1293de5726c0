"""Histories that are played through a faulty API server, and what of them may be missing in the bundle: nothing that
no gap covers."""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path
from typing import Any

import pytest

from scheduler_core.collect.collection import Collection
from scheduler_core.collect.fields.allowed import PlainNames, projected
from scheduler_core.collect.recording import WatchTarget
from scheduler_core.collect.server.discovery import ServedKind
from scheduler_core.collect.watching import KindWatch
from tests.api_server import RESOURCES
from tests.api_server.live import Faults, LiveServer
from tests.api_server.serving import serving_live
from tests.scheduler_core.collect.collecting import (
    DirectWay,
    ReadBundle,
    event,
    few_kinds,
    node,
    plan_in,
    pod,
    read_bundle,
    run_collection,
    until_level,
)

PAGE = 7
ON_ITS_WAY = 2.0


class PlayedHistory:
    """What a test did to the server: (moment, kind, name, version, type) of each change after the listing."""

    def __init__(self, server: LiveServer, seed: int) -> None:
        self.server = server
        self.chance = random.Random(seed)
        self.applied: list[tuple[float, str, str, str, str]] = []
        self.names = [f"web-{i}" for i in range(20)]
        self.gone: set[str] = set()

    def apply(self, change: str, one: dict[str, Any]) -> None:
        """Carry out and note a change."""
        served = self.server.apply(change, one)
        version = served["metadata"]["resourceVersion"]
        self.applied.append((time.time(), one["kind"], one["metadata"]["name"], version, change))

    def step(self) -> None:
        """One change by chance: a pod comes, is bound or goes, a node's label or heartbeat changes, an event comes."""
        n, what = len(self.applied), self.chance.randrange(6)
        if what == 0 or len(self.gone) == len(self.names):
            self.names.append(f"web-{n + 100}")
            self.apply("ADDED", pod(self.names[-1]))
        elif what == 1:
            name = self.chance.choice([one for one in self.names if one not in self.gone])
            self.gone.add(name)
            self.apply("DELETED", pod(name))
        elif what in (2, 3):
            name = self.chance.choice([one for one in self.names if one not in self.gone])
            self.apply("MODIFIED", pod(name, f"node-{n % 10}", priority=n))
        elif what == 4:
            self.apply("MODIFIED", node(f"node-{n % 10}", turn=str(n)))
        else:
            self.server.apply(
                "ADDED", event(f"e-{n}", "Scheduled", "web-1", "Successfully assigned default/web-1 to a")
            )


def first_objects() -> list[dict[str, Any]]:
    """What the server has at the beginning: several pages of nodes and pods."""
    return [*(node(f"node-{i}") for i in range(10)), *(pod(f"web-{i}") for i in range(20))]


Ranges = list[tuple[str, int, int]]
"""(kind, the version up to which changes were written, the version of the list that was compared after it)."""


def missing_of(history: PlayedHistory, bundle: ReadBundle, ranges: Ranges | None = None) -> list[str]:
    """What the bundle lacks: objects at the end that are not the server's, changes that no gap covers.

    Where ``ranges`` are known, a gap covers the changes of these versions; else those of its times, to which the time
    comes that a change is on its way.
    """
    server = history.server
    truth = {
        (RESOURCES[key[0]].kind, key[1], key[2]): projected(
            RESOURCES[key[0]].kind, RESOURCES[key[0]].version, one, PlainNames()
        )
        for key, one in server.objects.items()
        if key[0] != "events"
    }
    folded = bundle.folded()
    out = [f"{key} is another" for key in truth.keys() | folded.keys() if truth.get(key) != folded.get(key)]
    out += [
        f"{gap.code} of {gap.kind}" for gap in bundle.meta.gaps if gap.code in ("LIST_FAILED", "NO_RIGHTS", "OTHER")
    ]
    written = {(kind, change.rv) for kind in ("Node", "Pod") for change in _changes(bundle, kind)}
    for at, kind, name, version, change in history.applied:
        if ranges is None:
            is_covered = any(
                gap.kind in ("", kind) and gap.since - ON_ITS_WAY <= at <= (gap.until or at)
                for gap in bundle.meta.gaps
                if gap.code in ("WATCH_EXPIRED", "STOPPED", "DISK_FULL", "SERVER_AWAY")
            )
        else:
            is_covered = any(of == kind and start < int(version) <= end for of, start, end in ranges)
        if (kind, version) not in written and not is_covered:
            out.append(f"{change} of {kind} {name} at {version} is not there")
    return out


def _changes(bundle: ReadBundle, kind: str) -> list[Any]:
    marker = f'"kind":"{kind}"'.encode()
    return [change for change in bundle.changes if marker in bytes(change.object)]


def lost_under(
    faults: Faults,
    folder: Path,
    patch: pytest.MonkeyPatch,
    steps: int = 60,
    *,
    server: LiveServer | None = None,
    seconds: float = 8.0,
    compacts: bool = False,
) -> list[str]:
    """Play a history under the faults; what of it is missing. Not to come level within ``seconds`` is missing all."""
    server = server or few_kinds()
    server.faults, server.events_at_most = faults, 6
    server.reseed()
    with serving_live(first_objects(), server):
        history = PlayedHistory(server, faults.seed)

        async def script(collection: Collection) -> None:
            for step in range(steps):
                history.step()
                if compacts and step % 20 == 19:
                    server.compact()
                if step % 5 == 0:
                    await asyncio.sleep(0.02)
            await asyncio.wait_for(until_level(collection, server), seconds)

        ranges = noted_ranges(patch)
        try:
            run_collection(plan_in(folder, page=PAGE), DirectWay(server.address), script, seconds=seconds * 2)
        except TimeoutError:
            return ["it never came level"]
    bundle = read_bundle(folder / "bundle.tar.gz")
    without_gap = {kind for kind, _, _ in ranges} - {kind for code, kind in bundle.codes if code == "WATCH_EXPIRED"}
    return [*missing_of(history, bundle, ranges), *(f"no gap says that {kind} was lost" for kind in without_gap)]


def noted_ranges(patch: pytest.MonkeyPatch) -> Ranges:
    """A list that has, at the end of a collection, where changes were lost with a watch."""
    ranges: Ranges = []
    expired = KindWatch._after_expiry

    async def noted(self: KindWatch) -> None:
        before = int(self.target.version or 0)
        await expired(self)
        ranges.append((self.target.kind.kind, before, int(self.target.version or 0)))

    patch.setattr(KindWatch, "_after_expiry", noted)
    return ranges


def target_of(kind: str) -> WatchTarget:
    """A target of a kind as the tests' server serves it."""
    resource, one = next((name, one) for name, one in RESOURCES.items() if one.kind == kind)
    return WatchTarget(ServedKind(kind, one.version, resource, one.is_namespaced))
