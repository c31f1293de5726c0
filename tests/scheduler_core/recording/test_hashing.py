"""The recording hash: what it covers, and that it stays what it is as long as the engine's version does."""

from __future__ import annotations

from scheduler_core import ENGINE_VERSION
from scheduler_core.recording.hashing import HashState, RecordingHash
from tests.scheduler_core.engine.scenarios import finished, teaching

TEACHING_HASH = {"kube-scheduler 1.34 / 6": "19dc02048f0734956a3838f0e2a3479a02d778aec65a66425e1b525ec8629cbd"}
"""{engine version: hash of the teaching run with seed 7}. Whoever changes what runs decide or record, or how it is
hashed, raises ENGINE_VERSION and writes the new pair here in place of the old one."""


def test_a_run_has_the_hash_that_belongs_to_this_version_of_the_engine():
    session, _ = finished(teaching(seed=7))
    assert {ENGINE_VERSION: session.recording_hash()} == TEACHING_HASH


def test_how_many_events_there_were_is_part_of_the_hash():
    closed = HashState(count=64, chain=b"\1" * 32)
    more = HashState(count=128, chain=b"\1" * 32)
    assert RecordingHash(closed).hexdigest() != RecordingHash(more).hexdigest()
