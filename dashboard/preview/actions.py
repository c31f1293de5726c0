"""Asking what a configuration would change: for those who may edit configurations."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.answers.asking import ask_of_revision, deadline_of
from dashboard.clusters.documents.actions import DOING

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.answers.outcomes import Outcome
    from dashboard.answers.questions import WhatChangesOf
    from dashboard.clusters.models import Revision

# A request waits so long for the answer before it says what it waits for.
PATIENCE_SECONDS = 2.0


def ask_what_changes(member: Member, revision: Revision, question: WhatChangesOf, asker: str) -> Outcome:
    """Return what comes of a turn; a later question of the same asker takes its place. Nothing is stored.

    Raises Forbidden for members who may not edit configurations.
    """
    require(member, Role.EDITOR, DOING)
    deadline = deadline_of(question)
    return ask_of_revision(
        revision, question, deadline, asker=asker, patience=min(PATIENCE_SECONDS, deadline - time.time())
    )
