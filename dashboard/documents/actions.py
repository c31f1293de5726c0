"""Writes that configurations and timelines share: names, archiving, looking up a revision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.revisions.object_store import Saving
from dashboard.clusters.slugs import free_slug
from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.documents import store
from dashboard.documents.models import DeclaredExtenders, ExtenderTape, SchedulerConfig, Timeline

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.clusters.models import NamedInput


DOING = "edit configurations"
# What the audit log calls them.
SUBJECTS: dict[type[NamedInput], str] = {
    SchedulerConfig: "config",
    Timeline: "timeline",
    ExtenderTape: "tape",
    DeclaredExtenders: "extenders",
}


@dataclass(frozen=True)
class NewText:
    """What to save: a name (for a new document), the text, the number of the revision that was edited (0: none yet),
    and a message.
    """

    name: str
    text: str
    base: int = 0
    message: str = ""


def create_named(member: Member, model: Any, name: str, fallback: str) -> Any:
    title = name.strip()
    if not title:
        raise Problem("Give it a name.")
    existing = model.objects.filter(workspace=member.workspace)
    if existing.filter(name=title, archived_at=None).exists():
        raise Conflict(f'"{title}" exists already. Choose another name.')
    made = model(
        workspace=member.workspace,
        name=title,
        slug=free_slug(existing, title, fallback),
        created_by=member.user,
    )
    made.full_clean(exclude=["created_by"])
    try:
        with transaction.atomic():
            made.save()
    except IntegrityError as error:
        raise Conflict(f'Somebody made "{title}" a moment ago. Choose another name.') from error
    return made


@transaction.atomic
def store_text(member: Member, model: Any, document: Any, new: NewText, fallback: str) -> Any:
    """Return the new revision of a text that was read without errors: of the document, or where that is None of a new
    one of the model, whose address is `fallback` where its name gives none.

    Raises Conflict where somebody saved since `new.base` or has the name, Problem where nothing differs.
    """
    require(member, Role.EDITOR, DOING)
    target = document or create_named(member, model, new.name, fallback)
    saved = _save_text(member, target, new)
    verb = "saved" if document else "created"
    audit.record(member.workspace, member.user, f"{SUBJECTS[model]}.{verb}", str(saved), message=saved.message)
    return saved


def _save_text(member: Member, document: Any, new: NewText) -> Any:
    newest = document.revisions.first()
    if newest is not None and newest.number == new.base and newest.text == new.text:
        raise Problem("Nothing differs from the saved revision, so there is nothing to save.")
    saving = Saving(member.user, new.message.strip()[:500], expected=new.base)
    return store.save_text(document, new.text, saving)


@transaction.atomic
def archive(member: Member, thing: NamedInput, is_archived: bool) -> None:
    """Hide a document or tape from lists, or show it again; runs made from it stay readable."""
    require(member, Role.EDITOR, DOING)
    thing.archived_at = timezone.now() if is_archived else None
    thing.save(update_fields=["archived_at"])
    subject = SUBJECTS[type(thing)]
    verb = "archived" if is_archived else "restored"
    audit.record(member.workspace, member.user, f"{subject}.{verb}", thing.name)


def revision_numbered(thing: Any, number: int | None) -> Any:
    """Return the revision with this number, or the newest for None; raises NotFound."""
    revisions = thing.revisions.select_related("author")
    revision = revisions.filter(number=number).first() if number else revisions.first()
    if revision is None:
        raise NotFound(f"{thing.name} has no revision {number}." if number else f"{thing.name} has no revision yet.")
    return revision
