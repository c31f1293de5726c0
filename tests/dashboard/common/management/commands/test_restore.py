"""`manage.py restore`: which backup, never beside those who use the database, never unasked."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from dashboard.common.database.backups import Database, backup_name
from dashboard.common.management.commands import backup
from dashboard.data_folder import DataFolder


@pytest.fixture
def restored(tmp_path, monkeypatch, settings):
    """The files that were put back, in an installation with two backups."""
    settings.DATA_FOLDER = DataFolder(tmp_path)
    (tmp_path / "backups").mkdir()
    for day in (1, 2):
        (tmp_path / "backups" / backup_name("sqlite", backup.datetime(2020, 1, day))).touch()
    files = []
    monkeypatch.setattr(Database, "check", lambda *_: None)
    monkeypatch.setattr(Database, "restore", lambda _, file, aside: files.append(file.name))
    monkeypatch.setattr(connection, "close", lambda: None)
    return files


def test_the_newest_backup_or_the_named_one_is_put_back_after_a_yes(restored, tmp_path, capsys):
    call_command("restore")
    assert restored == []
    assert "--yes" in capsys.readouterr().out
    call_command("restore", "--yes")
    call_command("restore", "--yes", str(tmp_path / "other"))
    assert restored == ["schedscope-20200102T000000Z.sqlite3", "other"]


def test_nothing_is_put_back_while_somebody_has_the_folder(restored, settings):
    with settings.DATA_FOLDER.lock(), pytest.raises(CommandError, match="already runs"):
        call_command("restore", "--yes")
    assert restored == []


def test_without_a_backup_the_folder_is_named(restored, tmp_path):
    for one in (tmp_path / "backups").iterdir():
        one.unlink()
    with pytest.raises(CommandError, match=r"no backup in .*backups; name a file"):
        call_command("restore", "--yes")
