"""Tapes and declared extenders from files of a script: under the names of the files, and once however often it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dashboard.common.problems import Problem
from dashboard.documents.actions import NewText
from dashboard.documents.extenders.actions import file_digest, save_declared, take_tape
from dashboard.documents.extenders.answering import ExtenderAnswers
from dashboard.documents.models import DeclaredExtenders, ExtenderTape

if TYPE_CHECKING:
    from pathlib import Path

    from dashboard.accounts.models import Member


def tape_in(member: Member, path: Path) -> ExtenderAnswers:
    """Return the recording in the file: the newest revision of its tape where it is that one, else a new one.

    Raises OSError and as `take_tape`.
    """
    tape = _named(member, ExtenderTape, path)
    with path.open("rb") as file:
        newest = None if tape is None else tape.revisions.first()
        if newest is None or newest.sha256 != file_digest(file):
            newest = take_tape(member, tape, file, path.name, NewText(path.stem, ""))
    return ExtenderAnswers(newest)


def rules_in(member: Member, path: Path) -> ExtenderAnswers:
    """Return the rules in the file, as `tape_in` does; raises OSError, Problem and as `save_declared`."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Problem(f"{path.name} is not text in UTF-8: byte {error.start} is not.") from error
    declared = _named(member, DeclaredExtenders, path)
    newest = None if declared is None else declared.revisions.first()
    if newest is None or newest.text != text:
        base = 0 if newest is None else newest.number
        newest = save_declared(member, declared, NewText(path.stem, text, base))
    return ExtenderAnswers(newest)


def _named(member: Member, kind: Any, path: Path) -> Any:
    return kind.objects.filter(workspace=member.workspace, name=path.stem, archived_at=None).first()
