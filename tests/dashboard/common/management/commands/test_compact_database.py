"""Space of deleted rows: given back in steps by new files, by `manage.py compact_database` before that."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.template.loader import render_to_string

from dashboard.common.database import sqlite_file
from dashboard.common.database.sqlite_file import FileRoom, begin_incremental, compact, file_sizes, give_back
from dashboard.data_folder import DataFolder
from dashboard.runs import tasks
from tests.dashboard.helpers import assert_strict_csp
from tests.faults.processes import embedded_environment, prepare
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow
MIB = 1 << 20


def opened(path):
    return closing(sqlite3.connect(path, isolation_level=None, timeout=20))


def filled(path, incremental):
    """Make a file of some 16 MiB in which most rows were deleted."""
    with opened(path) as connection:
        if incremental:
            begin_incremental(connection)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE chunk (id INTEGER PRIMARY KEY, data BLOB)")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO chunk (data) VALUES (?)", ((os.urandom(40_000),) for _ in range(400)))
        connection.execute("COMMIT")
        connection.execute("DELETE FROM chunk WHERE id % 4")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def rows(path):
    with opened(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return connection.execute("SELECT count(*), sum(length(data)) FROM chunk").fetchone()


class TestGivingBack:
    def test_an_incremental_file_shrinks_to_what_is_in_use(self, tmp_path):
        path = filled(tmp_path / "db", incremental=True)
        before = file_sizes(path)
        assert before.free > 10 * MIB
        with opened(path) as connection:
            assert give_back(connection, seconds=60) is False
        after = file_sizes(path)
        assert after.free == 0
        assert after.size <= before.size - before.free + MIB
        assert rows(path) == (100, 4_000_000)

    def test_it_stops_when_its_time_is_over_and_goes_on_later(self, tmp_path):
        path = filled(tmp_path / "db", incremental=True)
        with opened(path) as connection:
            assert give_back(connection, seconds=0) is True
            turns = 1
            while give_back(connection, seconds=0.05):
                turns += 1
        assert turns > 2
        assert file_sizes(path).free == 0

    def test_others_write_meanwhile(self, tmp_path):
        path = filled(tmp_path / "db", incremental=True)
        done, written = threading.Event(), []

        def write():
            with opened(path) as connection:
                # SQLite hands its lock to whoever asks first: without a pause one of the two could wait for ever.
                while not done.wait(0.001):
                    connection.execute("INSERT INTO chunk (data) VALUES (?)", (b"x" * 1000,))
                    written.append(1)

        writer = threading.Thread(target=write)
        with opened(path) as connection:
            writer.start()
            while give_back(connection, seconds=1):
                pass
            done.set()
            writer.join()
        assert written
        assert rows(path) == (100 + len(written), 4_000_000 + 1000 * len(written))

    def test_an_old_file_is_left_as_it_is(self, tmp_path):
        path = filled(tmp_path / "db", incremental=False)
        before = path.stat().st_size
        with opened(path) as connection:
            assert give_back(connection, seconds=60) is False
        assert path.stat().st_size == before

    def test_a_file_with_tables_is_not_written_anew_at_its_next_opening(self, tmp_path):
        path = filled(tmp_path / "db", incremental=False)
        with opened(path) as connection:
            begin_incremental(connection)
        assert not file_sizes(path).is_incremental


class TestCompacting:
    def test_an_old_file_shrinks_and_gives_back_from_then_on(self, tmp_path):
        path = filled(tmp_path / "db", incremental=False)
        compact(path)
        room = file_sizes(path)
        assert room.is_incremental
        assert room.free == 0
        assert room.size < 5 * MIB
        assert rows(path) == (100, 4_000_000)
        assert sorted(file.name for file in tmp_path.iterdir()) == ["db"]

    def test_a_folder_with_a_quote_in_its_name(self, tmp_path):
        folder = tmp_path / "it's here"
        folder.mkdir()
        compact(filled(folder / "db", incremental=False))
        assert file_sizes(folder / "db").is_incremental

    def test_needed_space_is_never_less_than_what_is_taken(self, tmp_path):
        """The folder is looked at while the file is written anew."""
        path = filled(tmp_path / "db", incremental=False)
        room, most, done = file_sizes(path), [0], threading.Event()
        free = shutil.disk_usage(tmp_path).free

        def size_of(file):
            try:
                return file.stat().st_size
            except FileNotFoundError:  # SQLite takes its shared memory away between the listing and this look
                return 0

        def look():
            while not done.wait(0.001):
                most[0] = max(most[0], sum(map(size_of, tmp_path.iterdir())))

        looker = threading.Thread(target=look)
        looker.start()
        compact(path)
        done.set()
        looker.join()
        # The copy is a file without a name, so at most the journal is seen here.
        assert room.size <= most[0] <= room.size + room.needed
        assert free > 0


def test_what_is_worth_it_and_what_fits():
    room = FileRoom(size=300 * MIB, free=200 * MIB, disk_free=250 * MIB, is_incremental=False)
    assert (room.needed, room.fits, room.is_worth_it) == (200 * MIB, True, True)
    assert not FileRoom(300 * MIB, 200 * MIB, 210 * MIB, False).fits
    assert not FileRoom(300 * MIB, 20 * MIB, 900 * MIB, False).is_worth_it
    assert not FileRoom(900 * MIB, 100 * MIB, 900 * MIB, False).is_worth_it


@pytest.mark.parametrize(
    ("room", "parts"),
    [
        (None, []),
        (
            FileRoom(300 * MIB, 200 * MIB, 250 * MIB, False),
            [
                "takes 314.6 MB",
                "209.7 MB is free",
                "make compact-database",
                "about 3 s",
                "262.1 MB is free",
                "Nobody can work",
            ],
        ),
        (FileRoom(300 * MIB, 200 * MIB, 100 * MIB, False), ["only 104.9 MB is free", "make room first"]),
        (FileRoom(300 * MIB, 200 * MIB, 250 * MIB, True), ["It goes back to the disk step by step"]),
    ],
)
def test_the_offer_says_what_it_gains_needs_and_blocks(room, parts):
    html = " ".join(render_to_string("runs/_database_room.html", {"room": room}).split())
    assert [word for word in parts if word not in html] == []
    assert ("compact-database" in html) is (room is not None and not room.is_incremental)
    assert_strict_csp(html)


@pytest.mark.django_db
def test_the_settings_page_offers_nothing_where_little_is_free(owner):
    page = owner.get("/w/team/settings/")
    assert page.status_code == 200
    assert "database-room" not in page.content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("sqlite" not in settings.DATABASES["default"]["ENGINE"], reason="SQLite files only")
def test_deleted_rows_of_a_run_leave_the_file_of_an_installation():
    """The file of these tests was made by `migrate`, so it gives space back; a worker does so behind each deletion."""
    path = Path(connection.settings_dict["NAME"])
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE chunk (id INTEGER PRIMARY KEY, data BLOB)")
        cursor.executemany("INSERT INTO chunk (data) VALUES (%s)", [(os.urandom(100_000),) for _ in range(80)])
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        taken = path.stat().st_size
        cursor.execute("DROP TABLE chunk")
    tasks.delete_marked()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert path.stat().st_size < taken - 7_000_000


class TestCommand:
    @pytest.fixture
    def installation(self, tmp_path):
        """An installation whose database is of before: migrated, not incremental."""
        environment = embedded_environment(tmp_path)
        prepare(environment)
        with opened(tmp_path / "schedscope.sqlite3") as connection:
            assert connection.execute("PRAGMA auto_vacuum").fetchone()[0] == sqlite_file.INCREMENTAL
            connection.executescript("PRAGMA journal_mode=DELETE; PRAGMA auto_vacuum=NONE; VACUUM;")
        filled(tmp_path / "schedscope.sqlite3", incremental=False)
        return tmp_path, environment

    def run(self, environment, *parts):
        command = [sys.executable, "manage.py", "compact_database", *parts]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL
        )

    def test_it_says_what_it_needs_and_does_it_when_told_to(self, installation):
        folder, environment = installation
        before = (folder / "schedscope.sqlite3").stat().st_size
        asked = self.run(environment)
        assert asked.returncode == 0
        assert "is free space that would go back to the disk; this takes about 1 s and meanwhile" in asked.stdout
        assert "nothing is done without --yes" in asked.stdout
        assert (folder / "schedscope.sqlite3").stat().st_size == before
        done = self.run(environment, "--yes")
        assert done.returncode == 0, done.stderr
        assert (folder / "schedscope.sqlite3").stat().st_size < before / 2
        assert file_sizes(folder / "schedscope.sqlite3").is_incremental
        assert rows(folder / "schedscope.sqlite3") == (100, 4_000_000)

    def test_it_refuses_beside_a_running_installation(self, installation):
        folder, environment = installation
        with DataFolder(folder).lock():
            done = self.run(environment, "--yes")
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        assert "already runs on" in done.stderr
