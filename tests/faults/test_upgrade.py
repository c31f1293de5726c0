"""The database of each release under what `make run` starts: it is migrated, and runs in flight end with their hash."""

from __future__ import annotations

import gzip

import pytest

from scheduler_core import ENGINE_VERSION
from tests.dashboard.databases.make import FOLDER, SEED
from tests.dashboard.run_helpers import cluster_of, pod, undisturbed_hash
from tests.faults.installations import served
from tests.faults.processes import embedded_environment, wait_until
from tests.health import answers

pytestmark = [pytest.mark.slow, pytest.mark.long]

RUNS = "SELECT state, recording_hash, engine_version FROM runs_run ORDER BY number"
CHUNKS = 'SELECT sum(n_events), count(*), max("index") + 1 FROM runs_recordingchunk GROUP BY run_id ORDER BY run_id'
HEADS = "SELECT seq FROM runs_runhead ORDER BY run_id"
UNFINISHED = "SELECT count(*) FROM runs_run WHERE state IN ('queued', 'running')"


@pytest.mark.parametrize("database", sorted(FOLDER.glob("*.sqlite3.gz")), ids=lambda path: path.name)
def test_runs_in_flight_at_an_upgrade_end_with_their_hash(database, tmp_path):
    """The first had finished, the worker of the second died in its middle, the third is queued with its inputs."""
    folder = tmp_path / "var"
    folder.mkdir()
    (folder / "schedscope.sqlite3").write_bytes(gzip.decompress(database.read_bytes()))
    with served(embedded_environment(folder), tmp_path) as installation:
        before = installation.rows(RUNS)
        assert [state for state, _, _ in before] == ["finished", "running", "queued"]
        installation.start("supervisor")
        wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
        wait_until(lambda: not installation.ask(UNFINISHED)[0], "the runs do not end", installation.log)
        first, interrupted, queued = installation.rows(RUNS)
        assert first == before[0]
        expected = undisturbed_hash([*cluster_of(4, 60), pod("wide", "64")], schedule="pending", seed=SEED)
        assert queued[:2] == ("finished", expected)
        # Another engine does not go on with what the former one began: it says so.
        same_engine = before[1][2] == ENGINE_VERSION
        assert interrupted[:2] == (("finished", expected) if same_engine else ("failed", before[1][1]))
        heads = [seq for (seq,) in installation.rows(HEADS)]
        assert [(events, chunks) for events, chunks, _ in installation.rows(CHUNKS)] == [
            (seq, last) for seq, (_, _, last) in zip(heads, installation.rows(CHUNKS), strict=True)
        ]
        assert installation.ask("PRAGMA integrity_check") == ("ok",)
        assert installation.ended() == {}
    assert "Traceback" not in installation.log.read_text()
