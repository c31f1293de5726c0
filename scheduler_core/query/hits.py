"""Hits: matches of a query, each at its place in a recording, and the batches in which a scan yields them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from scheduler_core.query.cells import CellRows, FieldValue, NodeNames, cell_fields, cell_text
from scheduler_core.query.field_values import CycleFacts, EventFacts, make_getter
from scheduler_core.query.fields import FIELDS_OF, QuerySubject
from scheduler_core.recording import events as ev
from scheduler_core.recording.frames.frame import Frame
from scheduler_core.recording.rows import CycleRow


class HitPlace(msgspec.Struct, frozen=True, order=True):
    """Where a hit is: hits are in order of ``seq``, those of one seq in order of ``index``.

    A cycle and its cells are at the seq of CycleStarted. ``index`` is that of a cell among the cycle's: by plugin in
    the order of the profile (filters first), then by node-table row; 0 for all else.
    """

    seq: int
    index: int = 0


class Hit(msgspec.Struct, frozen=True):
    """One hit. ``at`` is virtual time in microseconds; ``cycle`` is 0 and names are "" where there are none; ``text``
    is a line in plain words."""

    subject: str
    seq: int
    index: int
    at: int
    cycle: int
    pod: str
    plugin: str
    node: str
    text: str

    @property
    def place(self) -> HitPlace:
        """Where it is."""
        return HitPlace(self.seq, self.index)


class HitWithFields(Hit, frozen=True):
    """A hit with its values in the fields of its subject."""

    fields: dict[str, FieldValue] = {}


def with_values(hit: Hit, fields: dict[str, FieldValue]) -> HitWithFields:
    """The hit with these values."""
    return HitWithFields(**msgspec.structs.asdict(hit), fields=fields)


class FactsBatch(msgspec.Struct, frozen=True):
    """One cycle, move, preemption or event that is a hit."""

    subject: QuerySubject
    facts: CycleFacts | EventFacts

    @property
    def seq(self) -> int:
        """The seq of the hit."""
        return self.facts.row.first_seq if isinstance(self.facts, CycleFacts) else self.facts.seq

    @property
    def at(self) -> int:
        """Virtual time in microseconds."""
        at: int = self.facts.row.at if isinstance(self.facts, CycleFacts) else self.facts.event.at
        return at

    @property
    def count(self) -> int:
        """How many hits there are at this seq."""
        return 1

    def hits(self, *, backward: bool = False, with_fields: bool = False) -> Iterator[Hit]:
        """The hit."""
        plugin = self.value("plugin")
        hit = Hit(
            subject=str(self.subject),
            seq=self.seq,
            index=0,
            at=self.at,
            cycle=self.cycle,
            pod=str(self.value("pod") or ""),
            plugin=plugin if isinstance(plugin, str) else "",
            node=str(self.value("node") or ""),
            text=cycle_text(self.facts.row) if isinstance(self.facts, CycleFacts) else event_text(self.facts),
        )
        yield with_values(hit, dict(self._fields())) if with_fields else hit

    def _fields(self) -> Iterator[tuple[str, FieldValue]]:
        """The values of the subject's own fields that it has, by name."""
        for name, field in FIELDS_OF[self.subject].items():
            value = self.value(name) if name == field.name else None
            if isinstance(value, str | int | float) and value != "":
                yield name, value

    @property
    def cycle(self) -> int:
        """The number of its cycle, 0 where it belongs to none."""
        cycle = self.facts if isinstance(self.facts, CycleFacts) else self.facts.cycle
        return 0 if cycle is None else cycle.row.cycle

    def value(self, name: str) -> object:
        """The value in a field of the subject itself, None where it has no such field."""
        field = FIELDS_OF[self.subject].get(name)
        return (
            None if field is None or field.subject is not self.subject else make_getter(self.subject, field)(self.facts)
        )


class CellsBatch(msgspec.Struct, frozen=True):
    """The cells of one cycle that are hits, in order."""

    cycle: CycleFacts
    frame: Frame
    names: NodeNames
    cells: tuple[CellRows, ...]

    @property
    def seq(self) -> int:
        """The seq of the cycle."""
        return self.cycle.row.first_seq

    @property
    def at(self) -> int:
        """Virtual time in microseconds."""
        return self.cycle.row.at

    @property
    def count(self) -> int:
        """How many cells are hits."""
        return sum(len(one.rows) for one in self.cells)

    def hits(self, *, backward: bool = False, with_fields: bool = False) -> Iterator[Hit]:
        """The cells one by one."""
        row = self.cycle.row
        for one in reversed(self.cells) if backward else self.cells:
            rows = one.rows[::-1] if backward else one.rows
            for number in rows.tolist():
                node = self.names.names[number]
                text = cell_text(self.frame, one.plugin, number, node)
                index = one.position * self.frame.n_rows + number
                hit = Hit("cell", row.first_seq, index, row.at, row.cycle, row.pod, one.plugin, node, text)
                yield with_values(hit, cell_fields(self.frame, one.plugin, number)) if with_fields else hit


Batch = FactsBatch | CellsBatch


def cycle_text(row: CycleRow) -> str:
    """A cycle in a line."""
    parts = [f"{row.pod}, attempt {row.attempt}: {row.outcome}"]
    if row.node:
        parts.append(f" on {row.node}")
    if row.margin is not None:
        parts.append(f", {row.margin} ahead of {row.second_node}")
    if row.tie_count > 1:
        parts.append(f", drawn from {row.tie_count}")
    if row.message:
        parts.append(f": {row.message}")
    return "".join(parts)


def move_text(event: ev.QueueMove) -> str:
    """A move in the queue in a line."""
    plugin = f" by {event.plugin}" if event.plugin else ""
    return f"{event.pod}: {event.source or 'outside'} to {event.target or 'outside'}, {event.event}{plugin}"


def preemption_text(event: ev.PreemptionDecided) -> str:
    """What a preemption decided in a line."""
    chosen = event.nominated
    if chosen is None:
        return f"{event.pod} evicts nothing{f': {event.message}' if event.message else ''}"
    more = f" and {len(chosen.victims) - 3} more" if len(chosen.victims) > 3 else ""
    return f"{event.pod} evicts {', '.join(chosen.victims[:3]) or 'nothing'}{more} on {chosen.node}"


def event_text(facts: EventFacts) -> str:
    """Any event in a line."""
    event = facts.event
    if isinstance(event, ev.QueueMove):
        return move_text(event)
    if isinstance(event, ev.PreemptionDecided):
        return preemption_text(event)
    if isinstance(event, ev.ObjectChanged):
        return f"{event.kind} {event.key} {event.action}{f': {event.cause}' if event.cause else ''}"
    fields = FIELDS_OF[QuerySubject.EVENT]
    values = [make_getter(QuerySubject.EVENT, fields[name])(facts) for name in ("pod", "node", "point", "message")]
    kind = str(type(event).__struct_config__.tag).replace("_", " ")
    return ", ".join([kind, *(str(value) for value in values if value)])
