"""The value of each field: what a second implementation reads from the same events."""

from __future__ import annotations

from functools import cache

import pytest

from scheduler_core.query.field_values import CycleFacts, make_getter
from scheduler_core.query.fields import FIELDS_OF, QuerySubject
from scheduler_core.query.parsing import parse
from scheduler_core.query.scan import Scan
from scheduler_core.query.search import find_hits
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.recording.rows import PluginScoreRow
from scheduler_core.simulate import RunSession
from tests.scheduler_core.crowded import recorded
from tests.scheduler_core.explain.diagnosis.device_clusters import GPU, DeviceCluster, claim, gpu, pool_of, request
from tests.scheduler_core.query import naive
from tests.scheduler_core.query.test_hits import cycle_row
from tests.scheduler_core.recording.test_against_engine import generated


@cache
def recording():
    """The first cycles of a crowded run, with preemptions."""
    session = RunSession.start(generated(0))
    store = MemoryStore(session.initial_keyframe())
    session.advance(max_cycles=80)
    store.add(session.cut_chunk())
    return RecordingReader(store)


def plain(value):
    """Return the value with an empty text as none, and several values as a list."""
    return None if value == "" else list(value) if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("subject", [one for one in QuerySubject if one is not QuerySubject.CELL])
def test_every_field_of_every_hit_has_the_value_of_the_second_implementation(subject):
    reader = recording()
    fields = {field.name: field for field in FIELDS_OF[subject].values()}
    things = list(naive.THINGS[subject](reader))
    batches = list(Scan(reader, parse(str(subject))).batches(0, reader.head_seq()))
    assert [batch.seq for batch in batches] == [thing.seq for thing in things]
    met = set()
    for batch, thing in zip(batches, things, strict=True):
        values = {name: plain(make_getter(subject, field)(batch.facts)) for name, field in fields.items()}
        if subject is QuerySubject.EVENT:  # a list of plugins may have empty names, which no condition meets
            values["plugin"] = [name for name in values["plugin"] if name]
            thing.values["plugin"] = [name for name in thing.values["plugin"] if name]
        assert values == {name: plain(thing.values.get(name)) for name in fields}
        met |= {name for name, value in values.items() if value not in (None, [])}
    assert len(met) > len(fields) // 2, "most fields have a value somewhere"


@pytest.mark.parametrize(
    ("margin", "tie_count", "decided_by", "is_narrow"),
    [(3, 1, ["Fit"], True), (3, 2, [], False), (30, 1, ["Fit"], False), (None, 0, ["Fit"], False)],
)
def test_a_plugin_decided_where_the_best_node_was_not_drawn(margin, tie_count, decided_by, is_narrow):
    scores = [PluginScoreRow(1, name, 1, 0, 0, 0, 0, 0, 0, 0.0, name == "Fit") for name in ("Fit", "Spread")]
    facts = CycleFacts(cycle_row(margin=margin, tie_count=tie_count), [], scores)
    fields = FIELDS_OF[QuerySubject.CYCLE]
    assert make_getter(QuerySubject.CYCLE, fields["decided_by"])(facts) == decided_by
    assert make_getter(QuerySubject.CYCLE, fields["narrow"])(facts) is is_narrow


@pytest.mark.parametrize(
    ("query", "is_hit"),
    [
        ("event claim:default/c", True),
        ("event claim:other/c", False),
        (f"event device:{GPU}/n1/gpu-0", True),
        (f"event device:{GPU}/n1/gpu-1", False),
        (f"event device.class:{GPU}", True),
        ("event device.driver:*.example.com", True),
        ("event device.driver:nic.*", False),
    ],
)
def test_a_claim_is_found_by_its_name_its_devices_their_class_and_driver(query, is_hit):
    reader = recorded(DeviceCluster(pool_of("n1", gpu(0), gpu(1)), claim(request())).inputs())
    assert bool(list(find_hits(reader, parse(query)))) == is_hit
