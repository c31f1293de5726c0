"""`manage.py backup`: where the file goes, and which older ones go."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from dashboard.common.database.backups import Database
from dashboard.common.management.commands import backup
from dashboard.data_folder import DataFolder


@pytest.fixture
def folder(tmp_path, monkeypatch, settings):
    """The folder of backups of an installation whose database is a file with a word in it."""
    settings.DATA_FOLDER = DataFolder(tmp_path)
    monkeypatch.setattr(Database, "back_up", lambda _, file: (file.parent.mkdir(exist_ok=True), file.write_text("all")))
    return tmp_path / "backups"


def test_a_backup_is_named_by_its_time_and_older_ones_go_where_that_is_wanted(folder, capsys):
    folder.mkdir()
    for day in (1, 2, 3):
        (folder / backup.backup_name("sqlite", backup.datetime(2020, 1, day))).touch()
    call_command("backup")
    assert len(list(folder.iterdir())) == 4
    call_command("backup", "--keep", "2")
    names = sorted(one.name for one in folder.iterdir())
    assert len(names) == 2
    assert names[1] in capsys.readouterr().out
    assert all("2020" not in name for name in names[1:])


def test_a_file_that_is_named_is_written_there(folder, tmp_path):
    call_command("backup", str(tmp_path / "mine"))
    assert (tmp_path / "mine").read_text() == "all"
    assert not folder.exists()


def test_what_cannot_be_written_ends_with_a_line(folder, monkeypatch):
    def refuse(*_):
        raise backup.BackupError("no room")

    monkeypatch.setattr(Database, "back_up", refuse)
    with pytest.raises(CommandError, match="no room"):
        call_command("backup", "--keep", "1")
