"""Backups of the database: whole or not there, made while others write, put back only where they fit."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime

import pytest

from dashboard.common.database import backups
from dashboard.common.database.backups import BackupError, Database, backup_name, backups_in
from dashboard.common.database.sqlite_file import DamagedDatabase


def opened(path):
    return closing(sqlite3.connect(path, isolation_level=None, timeout=20))


@pytest.fixture
def database(tmp_path):
    """A database with pairs of equal rows, in the mode that Schedscope's has."""
    path = tmp_path / "schedscope.sqlite3"
    with opened(path) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE django_migrations (id INTEGER PRIMARY KEY, app TEXT, name TEXT)")
        connection.execute("INSERT INTO django_migrations (app, name) VALUES ('runs', '0001_initial')")
        connection.execute("CREATE TABLE pair (a INTEGER, b INTEGER, filler BLOB)")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO pair VALUES (?, ?, ?)", ((i, i, os.urandom(2_000)) for i in range(2_000)))
        connection.execute("COMMIT")
    return Database("sqlite", {"NAME": str(path)})


def pairs(path):
    with opened(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return connection.execute("SELECT count(*), sum(a <> b) FROM pair").fetchone()


def test_a_backup_is_of_one_moment_whatever_is_written_meanwhile(database, tmp_path):
    stop, written = threading.Event(), 0

    def write():
        nonlocal written
        with opened(database.path) as connection:
            while not stop.is_set():
                connection.execute("UPDATE pair SET a = a + 1, b = b + 1")
                written += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for i in range(5):
            database.back_up(tmp_path / f"copy-{i}")
    finally:
        stop.set()
        thread.join()
    assert written > 1
    assert [pairs(tmp_path / f"copy-{i}") for i in range(5)] == [(2_000, 0)] * 5


def test_what_was_backed_up_is_there_again_and_what_was_there_is_aside(database, tmp_path):
    copy, aside = tmp_path / "copy", tmp_path / "aside"
    database.back_up(copy)
    with opened(database.path) as connection:
        connection.execute("DELETE FROM pair WHERE a < 500")
    database.check(copy)
    database.restore(copy, aside)
    assert pairs(database.path) == (2_000, 0)
    assert pairs(aside) == (1_500, 0)
    assert database.path.stat().st_mode & 0o777 == copy.stat().st_mode & 0o777 == 0o600


def test_a_damaged_database_is_replaced(database, tmp_path):
    copy = tmp_path / "copy"
    database.back_up(copy)
    with database.path.open("r+b") as file:
        file.write(b"no database at all")
    with pytest.raises(DamagedDatabase):
        database.back_up(tmp_path / "second")
    database.restore(copy, tmp_path / "aside")
    assert pairs(database.path) == (2_000, 0)
    assert not (tmp_path / "second").exists()


def cut(path):
    path.write_bytes(path.read_bytes()[:-70_000])


def overwritten(path):
    data = bytearray(path.read_bytes())
    data[4_096 * 300 : 4_096 * 302] = os.urandom(4_096 * 2)
    path.write_bytes(data)


def newer(path):
    with opened(path) as connection:
        connection.execute("INSERT INTO django_migrations (app, name) VALUES ('runs', '9999_of_the_future')")


def foreign(path):
    with opened(path) as connection:
        connection.execute("DROP TABLE django_migrations")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (cut, "no whole backup"),
        (overwritten, "no whole backup"),
        (newer, "newer version of Schedscope, with runs.9999_of_the_future"),
        (foreign, "not one of Schedscope"),
        (lambda path: path.write_bytes(b""), "holds no tables"),
        (lambda path: path.write_bytes(b"PK\x03\x04 some archive" * 99), "no whole backup"),
        (lambda path: path.unlink(), "there is no backup"),
    ],
)
def test_what_cannot_be_put_back_is_refused_by_name(database, tmp_path, spoil, says):
    copy = tmp_path / "copy"
    database.back_up(copy)
    spoil(copy)
    with pytest.raises(BackupError, match=says) as refusal:
        database.check(copy)
    assert str(copy) in str(refusal.value)


def test_a_backup_that_finds_no_room_leaves_nothing_and_no_other_is_touched(database, tmp_path, monkeypatch):
    copy = tmp_path / "copy"
    with pytest.raises(BackupError, match="cannot be written"):
        database.back_up(database.path / "below-a-file")
    copy.write_text("mine")
    with pytest.raises(BackupError, match="there already"):
        database.back_up(copy)
    assert copy.read_text() == "mine"
    copy.unlink()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backups.os, "fsync", full)
    with pytest.raises(BackupError, match="No space left"):
        database.back_up(copy)
    assert [one.name for one in tmp_path.iterdir() if "copy" in one.name] == []


def test_names_sort_by_their_moments_and_other_files_are_no_backups(tmp_path):
    moments = [datetime(2026, 11, 30, 9, 5, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)]
    for one in moments[::-1]:
        (tmp_path / backup_name("sqlite", one)).touch()
    (tmp_path / "schedscope-notes.sqlite3").touch()
    assert [one.name for one in backups_in(tmp_path, "sqlite")] == [backup_name("sqlite", one) for one in moments]
    assert backups_in(tmp_path / "none", "sqlite") == backups_in(tmp_path, "postgresql") == []


def test_the_password_is_no_argument_that_every_process_could_read():
    settings = {"HOST": "db", "PORT": 5432, "USER": "o'hara", "NAME": "a\\b", "PASSWORD": "secret"}
    assert Database("postgresql", settings)._address == r"host='db' port='5432' user='o\'hara' dbname='a\\b'"
