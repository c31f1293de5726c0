"""Collects from the tests' API server: short waits, and bundles read back."""

from __future__ import annotations

import asyncio
import tarfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec

from scheduler_core.collect.collection import Collection, CollectPlan
from scheduler_core.collect.server.pace import Pace
from scheduler_core.manifests.bundle.folding import FoldedObjects
from scheduler_core.manifests.bundle.model import CHANGES, EVENTS, META, OBJECTS, BundleMeta, Change, ListedObject
from tests.api_server import RESOURCES
from tests.api_server.live import LiveServer
from tests.patience import PATIENCE

QUICK = Pace(
    watch=2.0, answer=5.0, slack=1.0, first_wait=0.02, longest_wait=0.2, start=10.0, away=0.5, sync=0.1, version=0.2,
    piece=0.05,
)  # fmt: skip


class DirectWay:
    """A connection to the server itself, without kubectl."""

    def __init__(self, address: str, token: str = "") -> None:
        self.generation = 0
        self.token = token
        self.address = address
        self._client: httpx.AsyncClient | None = None

    @property
    def client(self) -> httpx.AsyncClient:
        assert self._client is not None
        return self._client

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    async def start(self) -> None:
        limits = httpx.Limits(max_connections=None)
        self._client = httpx.AsyncClient(base_url=self.address, trust_env=False, limits=limits)

    async def renew(self, seen: int) -> None:
        self.generation += seen == self.generation

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


class ReadBundle(NamedTuple):
    """A bundle read back."""

    names: list[str]
    meta: BundleMeta
    objects: list[ListedObject]
    events: list[Change]
    changes: list[Change]

    def folded(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        """{(kind, namespace, name): object} at the end."""
        state = FoldedObjects()
        for one in self.objects:
            state.put(one)
        for change in self.changes:
            state.apply(change)
        return {(key.kind, key.namespace, key.name): msgspec.json.decode(raw) for key, raw in state.objects.items()}

    def states(self, kind: str) -> list[tuple[str, str, str]]:
        """(type, name, version) of each change of a kind, in their order."""
        of = [(change, msgspec.json.decode(change.object)) for change in self.changes]
        return [(change.type, raw["metadata"]["name"], change.rv) for change, raw in of if raw["kind"] == kind]

    @property
    def codes(self) -> set[tuple[str, str]]:
        """(code, kind) of its gaps, without that of the configuration, and of kinds that the server does not know."""
        left_out = ("NO_CONFIGURATION", "NOT_SERVED")
        return {(gap.code, gap.kind) for gap in self.meta.gaps if gap.code not in left_out}


def read_bundle(path: Path) -> ReadBundle:
    """The bundle of a file, or of a folder that is not closed."""
    if path.is_dir():
        parts = {name: (path / name).read_bytes() for name in (META, OBJECTS, EVENTS, CHANGES)}
    else:
        with tarfile.open(path) as archive:
            parts = {entry.name: archive.extractfile(entry).read() for entry in archive}  # type: ignore[union-attr]
    listed = [msgspec.json.decode(line, type=ListedObject) for line in parts[OBJECTS].splitlines()]
    events, changes = (
        [msgspec.json.decode(line, type=Change) for line in parts[name].splitlines()] for name in (EVENTS, CHANGES)
    )
    return ReadBundle(list(parts), msgspec.json.decode(parts[META], type=BundleMeta), listed, events, changes)


def plan_in(folder: Path, name: str = "bundle.tar.gz", **options: Any) -> CollectPlan:
    """A plan that writes into the folder."""
    return CollectPlan(folder / f"{name}.partial", folder / name, **options)


def few_kinds(**options: Any) -> LiveServer:
    """A server of a few kinds: watches of all kinds cost seconds. The others are gaps NOT_SERVED."""
    served = {"nodes", "pods", "events", "services"}
    return LiveServer(missing=set(RESOURCES) - served, **options)


Script = Callable[[Collection], Awaitable[None]]


async def collected(
    plan: CollectPlan,
    way: Any,
    script: Script | None = None,
    said: list[str] | None = None,
    pace: Pace = QUICK,
    seconds: float = PATIENCE,
) -> int:
    """Collect; after all was listed the script plays, then the bundle is closed. The exit status."""
    collection = Collection(plan, way, (said if said is not None else []).append, pace)

    async def play() -> None:
        while not collection.watches or not all(watch.listed.is_set() for watch in collection.watches):
            await asyncio.sleep(0.01)
        assert script is not None
        await script(collection)
        collection.stopping.set()

    async with asyncio.timeout(seconds):
        playing = asyncio.create_task(play()) if script is not None else None
        running = asyncio.create_task(collection.run())
        try:
            if playing is not None:
                done, _ = await asyncio.wait({running, playing}, return_when=asyncio.FIRST_COMPLETED)
                if playing in done:
                    await playing
            return await running
        finally:
            for task in (running, playing):
                if task is not None:
                    task.cancel()


def run_collection(plan: CollectPlan, way: Any, script: Script | None = None, **more: Any) -> int:
    """As ``collected``, without a loop."""
    return asyncio.run(collected(plan, way, script, **more))


def level_with(collection: Collection, server: LiveServer) -> bool:
    """Whether every watch has come to the server's last change of its kind."""
    targets = [watch.target for watch in collection.watches]
    return all(int(one.version or 0) >= server.newest.get(one.kind.resource, 0) for one in targets)


async def until_level(collection: Collection, server: LiveServer) -> None:
    """Return when every watch has come to the server's last change of its kind."""
    while not level_with(collection, server):
        await asyncio.sleep(0.02)


def node(name: str, **labels: str) -> dict[str, Any]:
    """A node as a server has it."""
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}}
    sizes = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "status": {"capacity": sizes, "allocatable": sizes},
    }


def pod(name: str, node_name: str = "", **spec: Any) -> dict[str, Any]:
    """A pod as a server has it."""
    container = {"name": "c", "image": "x:1", "resources": {"requests": {"cpu": "1"}}, "args": ["--secret=1"]}
    whole = {"containers": [container], **({"nodeName": node_name} if node_name else {}), **spec}
    metadata = {"name": name, "namespace": "default", "labels": {"app": name.partition("-")[0]}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": whole, "status": {"phase": "Pending"}}


def event(name: str, reason: str, about: str, message: str = "") -> dict[str, Any]:
    """An event about a pod as a server has it."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": "default"},
        "reason": reason,
        "message": message,
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": about, "uid": f"uid-of-{about}"},
    }
