"""Whether a SQLite file is there and whole."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

import pytest
from django.db import DatabaseError

from dashboard.common.database.sqlite_file import DamagedDatabase, FileState, check_file, damage_in, need_writes


@pytest.fixture
def path(tmp_path):
    """A whole database of some hundred pages."""
    path = tmp_path / "db.sqlite3"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)")
        connection.executemany("INSERT INTO t (b) VALUES (?)", ((os.urandom(2000),) for _ in range(300)))
    return path


def overwrite(path, begin, end):
    with path.open("r+b") as file:
        file.seek(begin)
        file.write(os.urandom(end - begin))


def test_whole_missing_and_empty_files_are_told_apart(path, tmp_path):
    (tmp_path / "empty").touch()
    assert check_file(path) is FileState.READY
    assert check_file(tmp_path / "empty") is FileState.EMPTY
    assert check_file(tmp_path / "nothing") is FileState.MISSING
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("begin", [0, 4096 * 20], ids=["its head", "pages behind it"])
def test_overwritten_parts_are_found_and_the_line_says_what_to_do(path, begin):
    overwrite(path, begin, begin + 4096 * 40)
    with pytest.raises(DamagedDatabase, match=r"db\.sqlite3 is damaged \(.+\); ") as caught:
        check_file(path)
    assert "\n" not in str(caught.value)


def test_file_cut_short_is_found(path):
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(DamagedDatabase):
        check_file(path)


def test_text_file_is_no_database(tmp_path):
    path = tmp_path / "db.sqlite3"
    path.write_text("Dear diary, " * 1000)
    with pytest.raises(DamagedDatabase, match="not a database"):
        check_file(path)


def test_a_check_that_takes_too_long_is_given_up(path):
    assert check_file(path, seconds=0) is FileState.READY


def test_folder_in_its_place_is_no_damage(tmp_path):
    assert check_file(tmp_path) is FileState.READY


def test_damage_is_found_in_what_caused_an_error(path):
    overwrite(path, 0, 4096)
    with pytest.raises(sqlite3.DatabaseError) as caught, closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT * FROM t")
    error = DatabaseError("wrapped")
    error.__cause__ = caught.value
    assert damage_in(error).endswith("not a database")
    assert damage_in(DatabaseError("something else")) == ""


def test_a_file_that_takes_writes_is_left_as_it_was(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 7")
    before = path.read_bytes()
    need_writes(path)
    assert path.read_bytes() == before
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (7,)
