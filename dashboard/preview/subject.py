"""What is asked: which text, on which cluster's revision or run, against which configuration."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

from dashboard.answers.answering.comparing.what_changes import MOST_CYCLES
from dashboard.answers.questions import WhatChangesOf
from dashboard.answers.registry import code_version
from dashboard.clusters.revisions.actions import find_newest_revision
from dashboard.common.problems import NotFound
from dashboard.runs import chosen
from dashboard.runs.actions import find_run
from scheduler_core import ENGINE_VERSION
from scheduler_core.versions.detecting import ClusterVersion

if TYPE_CHECKING:
    from dashboard.accounts.models import Workspace
    from dashboard.clusters.models import Revision
    from dashboard.documents.models import SchedulerConfig
    from dashboard.preview.models import Computation, PreviewOf
    from dashboard.runs.chosen import ChosenConfiguration
    from dashboard.runs.models import Run

# At most this many pods of each group that differs are listed.
MOST_LISTED = 5_000


@dataclass(frozen=True)
class PreviewSubject:
    """A text and what it is tried on: a revision, or a run of it.

    `before` is the configuration that it is compared with, a run's own. `document` is the one whose page asks, None for
    a new one.
    """

    revision: Revision
    run: Run | None
    before: ChosenConfiguration
    document: SchedulerConfig | None
    text: str

    @property
    def before_label(self) -> str:
        """Return in words what it is compared with."""
        return self.before.label if self.run is None else f"the configuration of run {self.run.number}"

    @cached_property
    def text_sha256(self) -> str:
        """Return the text's digest, as a saved revision of a configuration has it."""
        return sha256(self.text.encode()).hexdigest()

    @cached_property
    def key(self) -> str:
        """Return the digest of all that decides the result: both texts, the inputs of the runs, limits and versions."""
        run = self.run
        of_run = () if run is None else (run.pk, run.created_at.isoformat(), run.head.n_changes)
        cluster = self.revision.pk, self.revision.sha256
        # The cluster's own version follows from the revision.
        texts = self.before.sha256, sorted(self.before.policies_in(ClusterVersion()).items()), self.text_sha256
        parts = *cluster, *of_run, *texts, MOST_CYCLES, MOST_LISTED, ENGINE_VERSION, code_version()
        return sha256(repr(parts).encode()).hexdigest()

    @property
    def question(self) -> WhatChangesOf:
        """Return it as the engine is asked."""
        return WhatChangesOf(
            before=self.before.name,
            after=self.text,
            run=self.run.pk if self.run is not None else 0,
            run_made=self.run.created_at.isoformat() if self.run is not None else "",
            size=MOST_LISTED,
        )


def subject_named(workspace: Workspace, on: str, before: str, text: str) -> PreviewSubject:
    """Return what a page names: `on` is "cluster:SLUG" (its newest revision) or "run:NUMBER".

    Raises NotFound.
    """
    run = _run(workspace, on.removeprefix("run:")) if on.startswith("run:") else None
    revision = run.revision if run is not None else find_newest_revision(workspace, on.removeprefix("cluster:"))
    base = chosen.named(workspace, before)
    document = base.revision.config if base.revision is not None else None
    return PreviewSubject(revision, run, base if run is None else chosen.of_run(run), document, text)


def stored_subject(computation: Computation) -> PreviewSubject:
    """Return what a computation is about, as this version of the program reads it; raises NotFound."""
    run = computation.run
    before = chosen.named(computation.workspace, computation.before) if run is None else chosen.of_run(run)
    return PreviewSubject(computation.revision, run, before, computation.document, tried_text(computation))


def tried_text(asked: PreviewOf) -> str:
    """Return the text that was tried."""
    return zlib.decompress(bytes(asked.text)).decode()


def _run(workspace: Workspace, number: str) -> Run:
    if not number.isdecimal() or len(number) > 9:
        raise NotFound("There is no such run.")
    return find_run(workspace, int(number))
