"""Addresses of dashboard.documents; their names are in the namespace of clusters."""

from __future__ import annotations

from django.urls import path

from dashboard.documents import views as documents
from dashboard.documents.configurations import views as configurations
from dashboard.documents.configurations.kind import CONFIGURATION
from dashboard.documents.extenders import tape_views as tapes
from dashboard.documents.extenders import views as declared
from dashboard.documents.extenders.kind import DECLARED
from dashboard.documents.timelines import arrival_views as arrivals
from dashboard.documents.timelines import views as timelines
from dashboard.documents.timelines.drafts import views as timeline_drafts
from dashboard.documents.timelines.kind import TIMELINE

HERE = "w/<slug:slug>/"
KINDS = {kind.sort: kind for kind in (CONFIGURATION, TIMELINE, DECLARED)}
DRAFT = f"{HERE}timelines/<slug:timeline>/draft/"
TAPE = f"{HERE}extenders/tapes/<slug:tape>/"
RULES = f"{HERE}extenders/declared/"

urlpatterns = [
    path(f"{HERE}configurations/", configurations.configuration_list, name="configurations"),
    path(f"{HERE}configurations/new/", configurations.new_configuration, name="new_configuration"),
    path(f"{HERE}configurations/default/", configurations.default_configuration, name="default_configuration"),
    path(f"{HERE}configurations/presets/<slug:preset>/", configurations.preset, name="preset"),
    path(f"{HERE}configurations/table", configurations.configuration_table, name="configuration_table"),
    path(f"{HERE}configurations/save", configurations.save_configuration, name="save_configuration"),
    path(f"{HERE}configurations/<slug:config>/", configurations.configuration, name="configuration"),
    path(
        f"{HERE}configurations/<slug:config>/export", configurations.export_configuration, name="export_configuration"
    ),
    path(f"{HERE}timelines/", timelines.timeline_list, name="timelines"),
    path(f"{HERE}timelines/new/", timelines.new_timeline, name="new_timeline"),
    path(f"{HERE}timelines/validate", timelines.validate_timeline, name="validate_timeline"),
    path(f"{HERE}timelines/save", timelines.save_timeline, name="save_timeline"),
    path(f"{HERE}timelines/<slug:timeline>/", timelines.timeline, name="timeline"),
    path(f"{HERE}timelines/<slug:timeline>/change", arrivals.change, name="change_timeline"),
    path(DRAFT, timeline_drafts.arrivals, name="timeline_draft"),
    path(f"{DRAFT}changes/", timeline_drafts.changes, name="timeline_changes"),
    path(f"{DRAFT}bar", timeline_drafts.bar, name="timeline_draft_bar"),
    path(f"{DRAFT}undo", timeline_drafts.undo, name="undo_timeline_draft"),
    path(f"{DRAFT}redo", timeline_drafts.redo, name="redo_timeline_draft"),
    path(f"{DRAFT}save", timeline_drafts.save, name="save_timeline_draft"),
    path(f"{DRAFT}discard", timeline_drafts.discard, name="discard_timeline_draft"),
    path(f"{HERE}timelines/<slug:timeline>/undo/<int:number>", arrivals.undo, name="undo_timeline"),
    path(f"{HERE}timelines/<slug:timeline>/export", timelines.export_timeline, name="export_timeline"),
    path(f"{HERE}extenders/tapes/", tapes.tape_list, name="tapes"),
    path(f"{HERE}extenders/upload/", tapes.upload, name="upload_tape"),
    path(TAPE, tapes.tape, name="tape"),
    path(f"{TAPE}export", tapes.export_tape, name="export_tape"),
    path(f"{TAPE}archive", tapes.archive_tape, name="archive_tape"),
    path(f"{TAPE}delete", tapes.delete_tape, name="delete_tape"),
    path(RULES, declared.declared_list, name="declared"),
    path(f"{HERE}extenders/declare/", declared.new_declared, name="new_declared"),
    path(f"{HERE}extenders/validate", declared.validate_declared, name="validate_declared"),
    path(f"{HERE}extenders/save", declared.save_declared, name="save_declared"),
    path(f"{RULES}<slug:declared>/", declared.declared, name="declared_one"),
    path(f"{RULES}<slug:declared>/export", declared.export_declared, name="export_declared"),
    path(f"{RULES}<slug:declared>/delete", declared.delete_declared, name="delete_declared"),
    path(f"{HERE}texts/<str:sort>/archive", documents.archive_view(KINDS), name="archive_text"),
]
