"""Breakpoints of a workspace: created, changed, switched on and off, deleted. The permission is the one to
pause runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role, Workspace
from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.runs.models import BREAKPOINT_NAME_LENGTH, Breakpoint
from scheduler_core.query import Query, QueryError, parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.db.models import QuerySet

    from dashboard.accounts.models import Member

MAX_BREAKPOINTS = 100
MAX_HIT_COUNT = 1_000_000
DOING = "work with breakpoints here"


@dataclass(frozen=True)
class BreakpointFields:
    """The fields of a breakpoint's form: it stops a run at every `hit_count`th hit of the query; without a name it has
    that of its query, also of a later one."""

    name: str
    query: str
    hit_count: int = 1
    is_enabled: bool = True


def list_breakpoints(workspace: Workspace) -> QuerySet[Breakpoint]:
    """Return the workspace's breakpoints by name, with their authors."""
    return Breakpoint.objects.filter(workspace=workspace).select_related("created_by").order_by("name")


def find_breakpoint(workspace: Workspace, pk: int) -> Breakpoint:
    """Return one of the workspace's breakpoints; raises NotFound."""
    if existing := list_breakpoints(workspace).filter(pk=pk).first():
        return existing
    raise NotFound("This breakpoint does not exist here. It may have been deleted.")


def create_breakpoint(member: Member, fields: BreakpointFields) -> Breakpoint:
    """Return a new breakpoint, attached to no run; raises as `prepare_breakpoint`, which reads outside of
    transactions."""
    return prepare_breakpoint(member, fields)()


def prepare_breakpoint(member: Member, fields: BreakpointFields) -> Callable[[], Breakpoint]:
    """Read the query; return what makes the breakpoint, in one transaction.

    Raises Forbidden, Conflict for a name in use, Problem for an invalid field or too many breakpoints. An invalid query
    is a Problem that names its column; forms that mark the place call `parse` first.
    """
    require(member, Role.EDITOR, DOING)
    return partial(_create, member, _checked(_named(fields)))


def _create(member: Member, checked: BreakpointFields) -> Breakpoint:
    with transaction.atomic():
        _lock(member)
        _check_name(member, checked.name)
        if Breakpoint.objects.filter(workspace=member.workspace).count() >= MAX_BREAKPOINTS:
            raise Problem(f"A workspace has at most {MAX_BREAKPOINTS} breakpoints. Delete one first.")
        made = Breakpoint.objects.create(workspace=member.workspace, created_by=member.user, **vars(checked))
        audit.record(member.workspace, member.user, "breakpoint.created", made.name, query=made.query)
    return made


def change_breakpoint(member: Member, breakpoint_: Breakpoint, fields: BreakpointFields) -> Breakpoint:
    """Change name, query, hit count and whether it is on; runs with the breakpoint use this from their next chunk on.

    A changed query resets its counts, and renames a breakpoint that has its query's name. Raises as
    `create_breakpoint`, and NotFound.
    """
    require(member, Role.EDITOR, DOING)
    checked = _checked(_named(fields, breakpoint_))
    with transaction.atomic():
        _lock(member)
        existing = find_breakpoint(member.workspace, breakpoint_.pk)
        _check_name(member, checked.name, existing)
        if existing.query != checked.query:
            existing.attachments.update(hits=0, hits_since_stop=0, error="")
        for name, value in vars(checked).items():
            setattr(existing, name, value)
        existing.save()
        audit.record(member.workspace, member.user, "breakpoint.changed", existing.name, query=existing.query)
    return existing


def switch_breakpoint(member: Member, breakpoint_: Breakpoint, is_enabled: bool) -> None:
    """Switch the breakpoint on or off for all runs that it is attached to; raises Forbidden, NotFound."""
    require(member, Role.EDITOR, DOING)
    with transaction.atomic():
        existing = find_breakpoint(member.workspace, breakpoint_.pk)
        Breakpoint.objects.filter(pk=existing.pk).update(is_enabled=is_enabled)
        verb = "enabled" if is_enabled else "disabled"
        audit.record(member.workspace, member.user, f"breakpoint.{verb}", existing.name)


def delete_breakpoint(member: Member, breakpoint_: Breakpoint) -> None:
    """Delete the breakpoint and its attachments; a run that is stopped at it stays stopped. Raises
    Forbidden, NotFound.
    """
    require(member, Role.EDITOR, DOING)
    with transaction.atomic():
        existing = find_breakpoint(member.workspace, breakpoint_.pk)
        name = existing.name
        existing.delete()
        audit.record(member.workspace, member.user, "breakpoint.deleted", name)


def query_error(breakpoint_: Breakpoint) -> str:
    """Return why this version cannot read the stored query, "" if it can; an unreadable breakpoint stops no run."""
    read = parsed(breakpoint_.query)
    return read.text() if isinstance(read, QueryError) else ""


@lru_cache(maxsize=512)
def parsed(text: str) -> Query | QueryError:
    """Return the parsed query, or the error."""
    try:
        return parse(text)
    except QueryError as error:
        return error


def name_of(query: str) -> str:
    """Return the name of a breakpoint to which nobody gave one: its query in one line, cut where it is too long."""
    text = " ".join(query.split())
    return (
        text if len(text) <= BREAKPOINT_NAME_LENGTH else f"{text[: BREAKPOINT_NAME_LENGTH - 1]}\N{HORIZONTAL ELLIPSIS}"
    )


def is_named(breakpoint_: Breakpoint) -> bool:
    """Return whether somebody gave the breakpoint its name."""
    return breakpoint_.name != name_of(breakpoint_.query)


# ---------------------------------------------------------------- checks


def _named(fields: BreakpointFields, existing: Breakpoint | None = None) -> BreakpointFields:
    """Return the fields with the query's name where nobody typed one: it is empty, or that of the query before."""
    is_same = existing is not None and fields.name.strip() == existing.name and not is_named(existing)
    return replace(fields, name=name_of(fields.query)) if is_same or not fields.name.strip() else fields


def _checked(fields: BreakpointFields) -> BreakpointFields:
    name, query = fields.name.strip(), fields.query.strip()
    if not name or len(name) > BREAKPOINT_NAME_LENGTH or not name.isprintable():
        raise Problem(f"A breakpoint needs a name of 1 to {BREAKPOINT_NAME_LENGTH} characters in one line.")
    if not query:
        raise Problem("A breakpoint needs a query.")
    if isinstance(read := parsed(query), QueryError):
        raise Problem(read.text(), title="The query cannot be read")
    if not 1 <= fields.hit_count <= MAX_HIT_COUNT:
        raise Problem(f"The hit count must be a whole number from 1 to {MAX_HIT_COUNT:,}.")
    return BreakpointFields(name, query, fields.hit_count, fields.is_enabled)


def _lock(member: Member) -> None:
    """Lock the workspace, so that two requests cannot take the same name or exceed the limit together."""
    Workspace.objects.select_for_update().get(pk=member.workspace.pk)


def _check_name(member: Member, name: str, own: Breakpoint | None = None) -> None:
    taken = Breakpoint.objects.filter(workspace=member.workspace, name__iexact=name)
    if own is not None:
        taken = taken.exclude(pk=own.pk)
    if taken.exists():
        raise Conflict(f'There is a breakpoint "{name}" already. Choose another name.')
