"""Tapes and declared extenders as answers for the extenders of a configuration.

Nothing here or behind it opens a connection: answers are read from what the workspace has stored.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from dashboard.clusters.yaml_text import EDITOR
from dashboard.common.lru_cache import LruCache
from dashboard.documents.extenders.tape_files import open_tape
from dashboard.documents.models import DeclaredExtendersRevision, ExtenderTapeRevision
from scheduler_core.extenders.declared.reading import read_declared
from scheduler_core.extenders.declared.source import DeclaredSource
from scheduler_core.extenders.tape.blocks import TapeHeader, check_belongs, header_for
from scheduler_core.extenders.tape.errors import TapeError
from scheduler_core.extenders.tape.source import TapeSource
from scheduler_core.manifests import Finding, ManifestSource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.api.config import Extender
    from scheduler_core.api.objects import Node
    from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply, ExtenderSource
    from scheduler_core.extenders.declared.rules import DeclaredExtender
    from scheduler_core.extenders.tape.reader import Tape


def check_declared(text: str) -> list[Finding]:
    """Return the findings of a text by itself: any number of extenders, with any verbs."""
    return read_declared(ManifestSource(EDITOR, text.encode()), None)[1]


def read_rules(
    text: str, extenders: Sequence[Extender], name: str
) -> tuple[tuple[DeclaredExtender, ...] | None, list[Finding]]:
    """Return the rules for these extenders of a configuration, None with an error, and the findings, which call the
    text by this name.
    """
    return read_declared(ManifestSource(name, text.encode()), extenders)


SHOWN_FINDINGS = 5
DIGEST_SHOWN = 12
# Answers of a tape that are decompressed take up to a quarter of a gigabyte.
_tapes: LruCache[tuple[Tape, threading.Lock]] = LruCache(2)


class AnswersError(Exception):
    """What is to answer for extenders does not fit them, or is damaged; the message is for the user."""


@dataclass(frozen=True)
class ExtenderAnswers:
    """A revision of a tape or of declared extenders."""

    revision: ExtenderTapeRevision | DeclaredExtendersRevision

    @property
    def tape(self) -> ExtenderTapeRevision | None:
        """Return the tape, None where answers follow from rules."""
        return self.revision if isinstance(self.revision, ExtenderTapeRevision) else None

    @property
    def is_tape(self) -> bool:
        """Return whether answers were recorded, rather than follow from rules."""
        return self.tape is not None

    @property
    def name(self) -> str:
        """Return what names it in a form, without its revision: "tape:prod"."""
        return f"{'tape' if self.is_tape else 'declared'}:{self.revision.document.slug}"

    @property
    def kind(self) -> str:
        """Return the kind of document in words."""
        return "tape" if self.is_tape else "declared extenders"

    @property
    def label(self) -> str:
        """Return what it is, by name and number: "tape prod r2"."""
        return f"{self.kind} {self.revision}"

    @property
    def workspace_id(self) -> int:
        """Return the workspace that owns it."""
        return self.revision.document.workspace_id

    @property
    def as_input(self) -> str:
        """Return it as an input of a run, with a digest of its content."""
        return f"{self.label} ({self.revision.sha256[:DIGEST_SHOWN]})"

    def check(self, extenders: Sequence[Extender], nodes: Sequence[Node]) -> None:
        """Check that it answers for these extenders in a run that begins with these nodes; raises AnswersError.

        A configuration without extenders asks nobody, so anything answers for it.
        """
        if not extenders:
            return
        if isinstance(self.revision, ExtenderTapeRevision):
            try:
                check_belongs(self.label, tape_header(self.revision), header_for(extenders, nodes))
            except TapeError as problem:
                raise AnswersError(str(problem)) from problem
        else:
            _rules(self.revision, extenders)

    def source(self, extenders: Sequence[Extender]) -> ExtenderSource:
        """Return what answers calls of these extenders; raises AnswersError, also when it is asked."""
        if isinstance(self.revision, ExtenderTapeRevision):
            return _StoredTape(*kept_tape(self.revision))
        return DeclaredSource(_rules(self.revision, extenders))


class _StoredTape:
    """A tape that several sessions of this process read; each answers as if it were alone."""

    def __init__(self, tape: Tape, lock: threading.Lock) -> None:
        self._source = TapeSource(tape)
        self._lock = lock

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        with self._lock:
            try:
                return self._source.ask(calls)
            except TapeError as problem:
                raise AnswersError(str(problem)) from problem


def kept_tape(revision: ExtenderTapeRevision) -> tuple[Tape, threading.Lock]:
    """Return the tape of a revision, and the lock under which it is read: it is kept for the next one who asks.

    Raises AnswersError.
    """
    try:
        return _tapes.get((revision.pk, revision.sha256), lambda: (open_tape(revision), threading.Lock()))
    except TapeError as problem:
        raise AnswersError(str(problem)) from problem


def tape_header(revision: ExtenderTapeRevision) -> TapeHeader:
    """Return what the tape belongs to."""
    return msgspec.convert(revision.header, TapeHeader)


def _rules(revision: DeclaredExtendersRevision, extenders: Sequence[Extender]) -> tuple[DeclaredExtender, ...]:
    rules, findings = read_rules(revision.text, extenders, str(revision))
    if rules is None:
        wrong = [one.text() for one in findings if one.severity == "error"]
        raise AnswersError("; ".join(wrong[:SHOWN_FINDINGS]))
    return rules
