"""Saving declared extenders, taking in tapes, and deleting what nothing uses."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec
from django.db import transaction
from django.db.models import Sum
from django.db.models.deletion import RestrictedError

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.revisions.actions import BadObjects
from dashboard.clusters.revisions.object_store import next_number
from dashboard.common.problems import Conflict, Problem
from dashboard.documents.actions import DOING, NewText, create_named, store_text
from dashboard.documents.extenders.answering import ExtenderAnswers, check_declared
from dashboard.documents.extenders.tape_files import PART_BYTES, checked_tape, store_file
from dashboard.documents.models import (
    FILE_NAME_LENGTH,
    DeclaredExtenders,
    DeclaredExtendersRevision,
    ExtenderTape,
    ExtenderTapeRevision,
)
from scheduler_core.extenders.tape.errors import TapeError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dashboard.accounts.models import Member
    from scheduler_core.extenders.tape.reader import Tape


UPLOADING = "upload tapes"
DELETING = "delete tapes and declared extenders"
# All tapes of a workspace together.
MOST_BYTES = 2 << 30


def save_declared(member: Member, declared: DeclaredExtenders | None, new: NewText) -> DeclaredExtendersRevision:
    """Return the new revision, of new declared extenders where `declared` is None; raises as `save_config`."""
    return prepare_declared(member, declared, new)()


def prepare_declared(
    member: Member, declared: DeclaredExtenders | None, new: NewText
) -> Callable[[], DeclaredExtendersRevision]:
    """Read the text; return what saves it, in one transaction. Raises as `prepare_config`."""
    require(member, Role.EDITOR, DOING)
    wrong = [finding for finding in check_declared(new.text) if finding.severity == "error"]
    if wrong:
        raise BadObjects(wrong)
    return partial(store_declared, member, declared, new)


def store_declared(member: Member, declared: DeclaredExtenders | None, new: NewText) -> DeclaredExtendersRevision:
    """Return the new revision of a text that was read without errors; raises Conflict, Problem as `save_config`."""
    saved: DeclaredExtendersRevision = store_text(member, DeclaredExtenders, declared, new, "extenders")
    return saved


def take_tape(
    member: Member, tape: ExtenderTape | None, file: BinaryIO, file_name: str, new: NewText
) -> ExtenderTapeRevision:
    """Return the recording in a file as a new revision, of a new tape where `tape` is None; raises as `prepare_tape`,
    which reads outside of transactions."""
    return prepare_tape(member, file, file_name)(tape, new)


def prepare_tape(
    member: Member, file: BinaryIO, file_name: str
) -> Callable[[ExtenderTape | None, NewText], ExtenderTapeRevision]:
    """Read the recording in a file; return what takes it in, in one transaction: as a revision of a tape, or of a new
    one for None. `NewText.text` is ignored.

    Raises Problem for a file that is no whole tape, with the byte at which that is seen, or is too large. Taking in
    raises Problem for the newest revision already, and in a full workspace, Conflict for a name that is taken.
    """
    require(member, Role.EDITOR, UPLOADING)
    name = file_name[-FILE_NAME_LENGTH:]
    try:
        opened = checked_tape(file, name)
    except TapeError as problem:
        raise Problem(f"{problem}.", title="This tape is not taken in") from problem
    return partial(_take, member, file, opened, (name, file_digest(file)))


def _take(
    member: Member, file: BinaryIO, opened: Tape, of_file: tuple[str, str], tape: ExtenderTape | None, new: NewText
) -> ExtenderTapeRevision:
    name, digest = of_file
    with transaction.atomic():
        is_new = tape is None
        target = tape or create_named(member, ExtenderTape, new.name, "tape")
        # Two uploads at once get numbers one after the other.
        ExtenderTape.objects.select_for_update().get(pk=target.pk)
        newest = target.revisions.order_by("-number").first()
        if newest is not None and newest.sha256 == digest:
            raise Problem(f"{name} is revision {newest.number} already, byte for byte.")
        revision = _stored(member, target, newest, opened, of_file, new)
        store_file(revision, file)
        verb = "tape.created" if is_new else "tape.saved"
        audit.record(member.workspace, member.user, verb, str(revision), calls=revision.n_calls, file=name)
    return revision


def _stored(
    member: Member,
    tape: ExtenderTape,
    newest: ExtenderTapeRevision | None,
    opened: Tape,
    of_file: tuple[str, str],
    new: NewText,
) -> ExtenderTapeRevision:
    size = opened.size
    stored = ExtenderTapeRevision.objects.filter(tape__workspace=member.workspace).aggregate(size=Sum("size"))["size"]
    if (stored or 0) + size > MOST_BYTES:
        raise Problem(
            f"The tapes of a workspace may take {MOST_BYTES >> 20:,} MiB together. Delete some that no run needs."
        )
    name, digest = of_file
    return ExtenderTapeRevision.objects.create(
        tape=tape,
        number=next_number(newest, None),
        parent=newest,
        author=member.user,
        message=new.message.strip()[:500],
        sha256=digest,
        file_name=name,
        size=size,
        header=msgspec.to_builtins(opened.header),
        counts=[[extender, verb, *counts] for (extender, verb), counts in opened.counts.items()],
        n_calls=opened.n_calls,
        n_attempts=opened.n_attempts,
    )


def delete(member: Member, thing: ExtenderTape | DeclaredExtenders) -> None:
    """Delete a tape or declared extenders with all revisions; raises Conflict where a run was made with one."""
    require(member, Role.EDITOR, DELETING)
    name, subject = thing.name, "tape" if isinstance(thing, ExtenderTape) else "extenders"
    try:
        with transaction.atomic():
            for revision in thing.revisions.order_by("-number"):
                revision.delete()
            thing.delete()
            audit.record(member.workspace, member.user, f"{subject}.deleted", name)
    except RestrictedError as problem:
        raise Conflict(
            f"Runs were made with {name}, and need it to be repeated. Archive it, or delete these runs first."
            " Runs that are being deleted need it until they are gone."
        ) from problem


def n_runs_with(thing: Any) -> int:
    """Return how many runs were made with a revision of it, those that are being deleted too."""
    return int(thing.revisions.filter(runs__isnull=False).values("runs").count())


def file_digest(file: BinaryIO) -> str:
    """Return the SHA-256 of the whole file."""
    file.seek(0)
    digest = hashlib.sha256()
    while data := file.read(PART_BYTES):
        digest.update(data)
    return digest.hexdigest()


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
