"""Deletes what belongs to a workspace or a person, and says before what goes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from django.contrib.sessions.models import Session
from django.db import models, router, transaction
from django.db.models.deletion import Collector

from dashboard.accounts import access
from dashboard.accounts.leaving.belongings import (
    label,
    references_to_people,
    referring_first,
    rows_of_workspace,
    ways_to_workspace,
)
from dashboard.accounts.models import AuditEntry, Invitation, Member, Role, User, Workspace
from dashboard.accounts.tokens.actions import note_that_maker_left
from dashboard.common.problems import Conflict

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from dashboard.accounts.leaving.belongings import Model

GONE = "somebody who left"
Texts = Literal["keep", "delete"]
"""What becomes of the comments and verdicts of a person: they stay without a name, or their texts are deleted."""
PERSON_COLUMNS = {
    "runs.PersonTurn": "person",
    "runs.Preparation": "asked_by",
    "agreement.AgreementResult": "asked_by",
    "agreement.RealityResult": "asked_by",
}
"""Columns that hold a person's number without a reference."""
WRITTEN = {"review.Comment": "author", "review.CommentVersion": "comment__author", "review.Verdict": "author"}
"""What a person wrote in reviews and leaves there (drafts go with them): {model: the way to its author}."""


def rows_in_workspace(workspace: Workspace) -> dict[str, int]:
    """Return {model: rows} of what goes with a workspace, without models that have none."""
    counts = {label(model): rows_of_workspace(model, workspace).count() for model in ways_to_workspace()}
    return {name: count for name, count in sorted(counts.items()) if count}


@transaction.atomic
def delete_workspace(workspace: Workspace) -> None:
    """Delete a workspace whose recordings are gone with all that belongs to it; its members stay people."""
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    for member in Member.objects.filter(workspace=locked).select_related("user"):
        access.bump(member.user, [])
    using = router.db_for_write(Workspace)
    # References are checked when the transaction ends, so only the ways to the workspace say what goes first.
    for model in referring_first():
        rows_of_workspace(model, locked)._raw_delete(using)
    Workspace.objects.filter(pk=locked.pk)._raw_delete(using)


def rows_of_leaving(user: User) -> tuple[dict[str, int], dict[str, int]]:
    """Return {model: rows} of what goes with a person, and of what stays without their name."""
    going = Counter({label(model): len(rows) for model, rows in _collected(user).items()})
    staying = {
        label(model): count
        for model, fields in references_to_people().items()
        if (names := [field.name for field in fields if field.null])
        and (count := model._base_manager.filter(_any_of(names, user)).count())
    }
    return dict(sorted(going.items())), dict(sorted(staying.items()))


@transaction.atomic
def delete_person(user: User, texts: Texts) -> None:
    """Delete a person with their drafts, searches and sessions. Raises Conflict for the only admin of a workspace.

    What others work with (clusters, runs, reviews, the log) stays as of somebody who left.
    """
    memberships = list(user.memberships.select_related("workspace"))
    # The rows of the workspaces are the locks under which admins leave (actions.remove_member).
    list(Workspace.objects.select_for_update().filter(pk__in=[member.workspace_id for member in memberships]))
    for member in memberships:
        others = Member.objects.filter(workspace=member.workspace, role=Role.ADMIN).exclude(pk=member.pk)
        if member.role == Role.ADMIN and not others.exists():
            raise Conflict(
                f"{user.email} is the only admin of {member.workspace.name}. "
                "Make somebody else admin first, or delete the workspace."
            )
    for member in memberships:
        note_that_maker_left(member.workspace, user, None)
    if texts == "delete":
        _delete_texts(user)
    AuditEntry.objects.filter(actor=user).update(actor_label=GONE)
    AuditEntry.objects.filter(object=user.email).update(object=GONE)
    Invitation.objects.filter(email=user.email).delete()
    _forget_number(user)
    Session.objects.filter(pk__in=_sessions(user)).delete()
    access.bump(user, [member.workspace_id for member in memberships])
    user.delete()


def _collected(user: User) -> Mapping[Model, Collection[models.Model]]:
    collector = Collector(using=router.db_for_write(User), origin=user)
    # What could be deleted without being read is read too, so that it is counted.
    collector.can_fast_delete = lambda *_args, **_options: False  # type: ignore[method-assign]
    collector.collect([user])
    return collector.data


def _delete_texts(user: User) -> None:
    """Empty what the person wrote in reviews; the places stay, since others answered there."""
    for model in ways_to_workspace():
        if author := WRITTEN.get(label(model)):
            model._base_manager.filter(**{author: user}).update(text="")


def _forget_number(user: User) -> None:
    for model in ways_to_workspace():
        if column := PERSON_COLUMNS.get(label(model)):
            of_person = model._base_manager.filter(**{column: user.pk})
            of_person.delete() if column == "person" else of_person.update(**{column: 0})


def _sessions(user: User) -> list[str]:
    stored = Session.objects.all().iterator(chunk_size=500)
    return [session.pk for session in stored if session.get_decoded().get("_auth_user_id") == str(user.pk)]


def _any_of(names: list[str], user: User) -> models.Q:
    condition = models.Q()
    for name in names:
        condition |= models.Q(**{name: user})
    return condition
