"""Files that wait for a worker: whole in memory, nowhere readable in the database."""

from __future__ import annotations

import os

import pytest
from django.conf import settings

from dashboard.clusters.background import sealing
from dashboard.clusters.models import SealedPiece
from dashboard.common.problems import Problem
from tests.dashboard.clusters.background.task_helpers import left, sent


def test_files_of_any_length_come_back_as_they_were_sent(editor, monkeypatch):
    monkeypatch.setattr(sealing, "PIECE_BYTES", 100)
    contents = [b"", b"x" * 100, os.urandom(101), b"password: hunter2\n" * 500]
    task = left(editor, *(sent(f"{n}.yaml", data) for n, data in enumerate(contents)))
    back = sealing.unsealed(task)
    assert [upload.data for upload in back] == contents
    assert [upload.name for upload in back] == ["0.yaml", "1.yaml", "2.yaml", "3.yaml"]


def test_the_database_holds_nothing_that_can_be_read(editor):
    left(editor, sent("a.yaml", b"password: hunter2"))
    assert all(b"hunter2" not in bytes(piece.data) for piece in SealedPiece.objects.all())


def test_another_key_opens_nothing_and_says_which_setting_differs(editor, monkeypatch):
    task = left(editor, sent("a.yaml", b"a: 1"))
    monkeypatch.setattr(settings, "SECRET_KEY", "another")
    with pytest.raises(Problem, match="SCHEDSCOPE_SECRET_KEY"):
        sealing.unsealed(task)


@pytest.mark.parametrize("field", ["task", "file", "number"])
def test_a_piece_that_was_moved_is_not_opened(editor, field):
    task, other = left(editor, sent("a.yaml", b"a: 1")), left(editor)
    SealedPiece.objects.filter(task=task).update(**{field: other if field == "task" else 7})
    with pytest.raises(Problem):
        sealing.unsealed(other if field == "task" else task)
