"""The pages of scheduler configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.yaml_text import text_in
from dashboard.common.http.params import choice_param, text_param
from dashboard.common.problems import BadQuery, NotFound, Problem
from dashboard.documents import views as documents
from dashboard.documents.actions import DOING, revision_numbered
from dashboard.documents.configurations import presets
from dashboard.documents.configurations.kind import CONFIGURATION
from dashboard.documents.kind import MAX_EDIT
from dashboard.documents.views import Editor
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES, DEFAULT_CONFIGURATION

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access

DEFAULT_HEADING = "Default configuration"


@workspace_view(Role.VIEWER)
def configuration_list(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the list of scheduler configurations, the built-in default first."""
    return documents.show_list(request, access, CONFIGURATION)


@workspace_view(Role.VIEWER)
def configuration(request: HttpRequest, access: Access, config: str) -> HttpResponse:
    """Return a configuration's page: YAML, findings, the plugins of each profile, history."""
    return documents.show(request, access, CONFIGURATION, config)


@workspace_view(Role.VIEWER)
def default_configuration(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the page of the built-in default configuration, which every run without another one uses."""
    checked = CONFIGURATION.check(DEFAULT_CONFIGURATION.text)
    return Editor(request, access, CONFIGURATION).page(
        checked, can_edit=False, is_default=True, heading=DEFAULT_HEADING, crumb=DEFAULT_HEADING
    )


@workspace_view(Role.VIEWER)
def preset(request: HttpRequest, access: Access, preset: str) -> HttpResponse:
    """Return the page of a preset, which runs can use as it is; raises NotFound for one that cannot work here."""
    chosen = presets.available().get(preset)
    if chosen is None:
        raise NotFound(presets.missing(preset))
    checked = CONFIGURATION.check(chosen.text)
    editor = Editor(request, access, CONFIGURATION)
    offer = presets.preset_offer(chosen)
    return editor.page(checked, can_edit=False, is_preset=True, heading=chosen.title, crumb=chosen.name, offer=offer)


@workspace_view(Role.EDITOR, doing=DOING)
def new_configuration(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the editor for a new configuration, from a template, a `preset` or a copy of another (`copy`)."""
    editor = Editor(request, access, CONFIGURATION)
    copied = text_param(request.GET, "copy", 50)
    start = choice_param(request.GET, "start", CONFIGURATION_TEMPLATES, "default")
    if named := choice_param(request.GET, "preset", ("", *presets.available()), ""):
        preset = presets.available()[named]
        return editor.page(CONFIGURATION.check(preset.text), offer=presets.preset_offer(preset))
    if copied:
        return editor.page(CONFIGURATION.check(revision_numbered(CONFIGURATION.find(access, copied), None).text))
    return editor.page(CONFIGURATION.check(CONFIGURATION_TEMPLATES[start].text))


@workspace_view(Role.VIEWER, WRITE)
def configuration_table(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the table of the editor's text as a fragment, after an edit of it (`edit`, JSON) where one is given.

    It stores nothing; the text with the edit is part of the answer, or the reason why there is none with it.
    """
    slug = text_param(request.POST, "thing", 50)
    document = CONFIGURATION.find(access, slug) if slug else None
    text, refused = text_in(request), ""
    if edit := text_param(request.POST, "edit", MAX_EDIT):
        try:
            text = CONFIGURATION.edited(text, edit)
        except BadQuery:
            raise
        except Problem as problem:
            refused = problem.detail
    context = Editor(request, access, CONFIGURATION, document).context(CONFIGURATION.check(text), refused=refused)
    return render(request, "clusters/configurations/table/_answer.html", context)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def save_configuration(request: HttpRequest, access: Access) -> HttpResponse:
    """Take the configuration editor's form: review, save, back to editing, or take the v1 conversion."""
    return documents.save(request, access, CONFIGURATION)


@workspace_view(Role.VIEWER)
def export_configuration(request: HttpRequest, access: Access, config: str) -> HttpResponse:
    """Return a configuration as a file."""
    return documents.export(request, access, CONFIGURATION, config)
