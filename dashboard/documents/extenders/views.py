"""The pages of declared extenders, and deleting of them and of tapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.common.http.htmx import go
from dashboard.common.http.params import text_param
from dashboard.documents import views as documents
from dashboard.documents.actions import DOING, revision_numbered
from dashboard.documents.extenders import actions
from dashboard.documents.extenders.kind import DECLARED
from dashboard.documents.views import Editor
from dashboard.documents.yaml_templates import DECLARED_TEMPLATE

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access


@workspace_view(Role.VIEWER)
def declared_list(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the list of declared extenders."""
    return documents.show_list(request, access, DECLARED)


@workspace_view(Role.VIEWER)
def declared(request: HttpRequest, access: Access, declared: str) -> HttpResponse:
    """Return the page of declared extenders: YAML, findings, history."""
    return documents.show(request, access, DECLARED, declared)


@workspace_view(Role.EDITOR, doing=DOING)
def new_declared(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the editor for new declared extenders, from the template or a copy of others (`copy`)."""
    copied = text_param(request.GET, "copy", 50)
    text = revision_numbered(DECLARED.find(access, copied), None).text if copied else DECLARED_TEMPLATE
    return Editor(request, access, DECLARED).page(DECLARED.check(text, None))


@workspace_view(Role.VIEWER, WRITE)
def validate_declared(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the findings of a text as a fragment; it stores nothing."""
    return documents.validate(request, access, DECLARED)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def save_declared(request: HttpRequest, access: Access) -> HttpResponse:
    """Take the editor's form: review, save or back to editing."""
    return documents.save(request, access, DECLARED)


@workspace_view(Role.VIEWER)
def export_declared(request: HttpRequest, access: Access, declared: str) -> HttpResponse:
    """Return declared extenders as a file."""
    return documents.export(request, access, DECLARED, declared)


@workspace_view(Role.EDITOR, WRITE, doing=actions.DELETING)
def delete_declared(request: HttpRequest, access: Access, declared: str) -> HttpResponse:
    """Delete declared extenders that no run was made with, and lead to the list."""
    thing = DECLARED.find(access, declared)
    actions.delete(access.member, thing)
    messages.success(request, f"{thing.name} is deleted")
    return go(request, "clusters:declared", slug=access.workspace.slug)
