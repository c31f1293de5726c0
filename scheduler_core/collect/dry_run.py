"""What a collection would write: kinds, objects, bytes and fields. Lists are read, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from scheduler_core.collect.collection import CollectPlan
from scheduler_core.collect.fields.allowed import PlainNames
from scheduler_core.collect.fields.pseudonyms import Pseudonyms, new_key
from scheduler_core.collect.gaps import GapLedger
from scheduler_core.collect.listing import list_into
from scheduler_core.collect.preparing import NothingToCollect, prepare
from scheduler_core.collect.recording import ChangeRecorder
from scheduler_core.collect.server.connection import Connection, NoServer
from scheduler_core.collect.server.pace import DEFAULT_PACE, Pace
from scheduler_core.collect.server.requests import AnswerTooLarge, Denied, NotServed, Refused, Requester


class CountingWriter:
    """Counts lines in place of writing them."""

    def __init__(self) -> None:
        self.n_objects: dict[str, int] = {}
        self.n_bytes: dict[str, int] = {}
        self.fields: dict[str, set[str]] = {}

    def append(self, name: str, line: bytes) -> None:
        """Count a line of any file."""
        raw = msgspec.json.decode(line)["object"]
        kind = raw["kind"]
        self.n_objects[kind] = self.n_objects.get(kind, 0) + 1
        self.n_bytes[kind] = self.n_bytes.get(kind, 0) + len(line) + 1
        self.fields.setdefault(kind, set()).update(_paths(raw, ""))

    def lines(self) -> Iterator[str]:
        """A table, then the fields of each kind, then the size."""
        width = max(map(len, self.n_objects), default=0)
        for kind, n in self.n_objects.items():
            yield f"{kind:<{width}}  {n:>9,}  {self.n_bytes[kind]:>13,} bytes"
        for kind, fields in self.fields.items():
            yield f"{kind}: {', '.join(sorted(fields))}"
        n_objects, n_bytes = sum(self.n_objects.values()), sum(self.n_bytes.values())
        yield f"{n_objects:,} objects in {n_bytes:,} bytes before they are compressed; nothing was written"


def _paths(raw: Any, path: str) -> Iterator[str]:
    """The fields of an object; keys of labels, annotations and amounts are values, not fields."""
    if isinstance(raw, dict) and raw and not path.endswith(_OPEN):
        for name, value in raw.items():
            yield from _paths(value, f"{path}.{name}" if path else name)
    elif isinstance(raw, list):
        for one in raw:
            yield from _paths(one, f"{path}[]")
    else:
        yield path


_OPEN = (
    *("labels", "annotations", "matchLabels", "nodeSelector", "requests", "limits", "capacity", "allocatable"),
    *("hard", "used", "disruptedPods", "overhead", "allocatedResources"),
)


async def try_out(
    plan: CollectPlan, way: Connection, say: Callable[[str], None], pace: Pace = DEFAULT_PACE
) -> CountingWriter:
    """Read all lists once and count. Raises NothingToCollect."""
    ledger, writer = GapLedger(), CountingWriter()
    requester = Requester(way, pace, ledger)
    recorder = ChangeRecorder(writer, Pseudonyms(new_key()) if plan.pseudonyms else PlainNames())
    try:
        await way.start()
        prepared = await prepare(requester, ledger, plan.namespaces, PlainNames(), at=0.0, patience=pace.start)
        for resource, why in prepared.refused:
            say(f"{resource}: {why}")
        for target, _ in prepared.targets:
            try:
                await list_into(recorder, requester, target, plan.page)
            except (Denied, NotServed, Refused, AnswerTooLarge) as problem:
                say(f"{target.kind.resource}: {problem}")
    except NoServer as problem:
        raise NothingToCollect(str(problem)) from None
    finally:
        await way.close()
    return writer
