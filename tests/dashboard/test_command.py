"""Management commands end with one line where the set-up is wrong, whichever program runs them."""

from __future__ import annotations

import errno
import re
import sqlite3

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError

from dashboard import command
from dashboard.data_folder import DataFolderError


def raises(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Let every management command raise the error."""

    def fail(_argv: list[str]) -> None:
        raise error

    monkeypatch.setattr(command, "execute_from_command_line", fail)


def test_a_command_gets_its_words_under_the_name_of_the_program(monkeypatch):
    received: list[list[str]] = []
    monkeypatch.setattr(command, "execute_from_command_line", received.append)
    assert command.run(["serve", "--port", "8001"]) == 0
    assert received == [["schedscope", "serve", "--port", "8001"]]


@pytest.mark.parametrize("error", [DataFolderError("no folder"), ImproperlyConfigured("no hosts")])
def test_a_wrong_set_up_is_one_line(monkeypatch, error):
    raises(monkeypatch, error)
    with pytest.raises(SystemExit, match=f"schedscope: {error}"):
        command.execute(["manage.py", "serve"])


def test_a_damaged_database_is_one_line_with_its_file_and_another_error_is_raised(monkeypatch):
    damage, cause = DatabaseError("database disk image is malformed"), sqlite3.DatabaseError("it is malformed")
    cause.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    damage.__cause__ = cause
    raises(monkeypatch, damage)
    with pytest.raises(SystemExit, match=re.escape(settings.DATABASES["default"]["NAME"])):
        command.execute(["manage.py", "serve"])
    raises(monkeypatch, DatabaseError("no such table: runs_run"))
    with pytest.raises(DatabaseError, match="no such table"):
        command.execute(["manage.py", "serve"])


def test_a_full_disk_is_one_line_and_another_error_of_files_is_raised(monkeypatch):
    raises(monkeypatch, OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(SystemExit, match=r"schedscope: the disk is full \(.*\); make room on the disk of "):
        command.execute(["manage.py", "serve"])
    raises(monkeypatch, FileNotFoundError("objects.json"))
    with pytest.raises(FileNotFoundError):
        command.execute(["manage.py", "start_run"])
