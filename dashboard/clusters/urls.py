"""Addresses of dashboard.clusters."""

from __future__ import annotations

from django.urls import path

from dashboard.clusters.background import views as background
from dashboard.clusters.configurations import views as configurations
from dashboard.clusters.configurations.kind import CONFIGURATION
from dashboard.clusters.documents import views as documents
from dashboard.clusters.drafts import views as drafts
from dashboard.clusters.editor import guide_views
from dashboard.clusters.editor import views as editor
from dashboard.clusters.extenders import tape_views as tapes
from dashboard.clusters.extenders import views as declared
from dashboard.clusters.extenders.kind import DECLARED
from dashboard.clusters.forms import views as forms
from dashboard.clusters.generating import scheduler_perf_views as scheduler_perf
from dashboard.clusters.generating import views as generating
from dashboard.clusters.importing import views as importing
from dashboard.clusters.map import views as cluster_map
from dashboard.clusters.revisions import export_views as exports
from dashboard.clusters.revisions import short_views as short
from dashboard.clusters.revisions import views as revisions
from dashboard.clusters.tables import views as tables
from dashboard.clusters.timelines import arrival_views as arrivals
from dashboard.clusters.timelines import views as timelines
from dashboard.clusters.timelines.kind import TIMELINE
from dashboard.clusters.workbench import hand_views as by_hand
from dashboard.clusters.workbench import views as workbench

HERE = "w/<slug:slug>/"
CLUSTER = f"{HERE}clusters/<slug:cluster>/"
DRAFT = f"{CLUSTER}drafts/<int:draft_id>/"
IMPORT = f"{HERE}import/<int:draft_id>/"

KINDS = {kind.sort: kind for kind in (CONFIGURATION, TIMELINE, DECLARED)}
TAPE = f"{HERE}extenders/tapes/<slug:tape>/"
RULES = f"{HERE}extenders/declared/"

app_name = "clusters"
urlpatterns = [
    path(f"{HERE}clusters/", revisions.cluster_list, name="list"),
    path(f"{HERE}field-guide", guide_views.field_guide, name="field_guide"),
    path(f"{HERE}clusters/new/", revisions.new_cluster, name="new"),
    path(CLUSTER, cluster_map.detail, name="detail"),
    path(f"{CLUSTER}map/", cluster_map.data, name="map"),
    path(f"{CLUSTER}map/selected", cluster_map.selected, name="map_selected"),
    path(f"{CLUSTER}map/unbound", cluster_map.unbound, name="map_unbound"),
    path(f"{CLUSTER}nodes/", tables.nodes, name="nodes"),
    path(f"{CLUSTER}nodes/change", editor.change_nodes, name="change_nodes"),
    path(f"{CLUSTER}pods/", tables.pods, name="pods"),
    path(f"{CLUSTER}objects/", tables.objects, name="objects"),
    path(f"{CLUSTER}object/", editor.show, name="object"),
    path(f"{CLUSTER}object/new/", editor.add, name="add_object"),
    path(f"{CLUSTER}object/validate", editor.validate, name="validate_object"),
    path(f"{CLUSTER}object/save", editor.save, name="save_object"),
    path(f"{CLUSTER}object/delete", editor.delete, name="delete_object"),
    path(f"{CLUSTER}object/export", exports.one, name="export_object"),
    path(f"{CLUSTER}history/", revisions.history, name="history"),
    path(f"{CLUSTER}history/restore", revisions.restore, name="restore"),
    path(f"{CLUSTER}history/<int:number>/undo", revisions.undo, name="undo"),
    path(f"{CLUSTER}diff/", revisions.diff, name="diff"),
    path(f"{CLUSTER}r/<int:number>/", short.revision, name="short_revision"),
    path(f"{CLUSTER}r/<int:number>/from/<int:base>/", short.changes, name="short_changes"),
    path(f"{CLUSTER}r/<int:number>/o/<str:kind>/<path:key>", short.manifest, name="short_object"),
    path(f"{CLUSTER}export", exports.revision, name="export"),
    path(f"{CLUSTER}settings/", revisions.settings, name="settings"),
    path(f"{CLUSTER}archive", revisions.archive, name="archive"),
    path(f"{CLUSTER}drafts/", drafts.draft_list, name="drafts"),
    path(f"{CLUSTER}drafts/new", drafts.new, name="new_draft"),
    path(DRAFT, drafts.changes, name="draft"),
    path(f"{DRAFT}edit/", workbench.edit, name="draft_edit"),
    path(f"{DRAFT}edit/tree", workbench.tree, name="draft_tree"),
    path(f"{DRAFT}edit/selected", workbench.selected, name="draft_selected"),
    path(f"{DRAFT}edit/map", workbench.panel, name="draft_panel"),
    path(f"{DRAFT}edit/picked", by_hand.picked, name="draft_picked"),
    path(f"{DRAFT}act", by_hand.act_on, name="draft_act"),
    path(f"{DRAFT}act/progress", by_hand.progress, name="draft_progress"),
    path(f"{DRAFT}bar", drafts.bar, name="draft_bar"),
    path(f"{DRAFT}form/", forms.form, name="draft_form"),
    path(f"{DRAFT}form/matching/", forms.matching, name="draft_form_matching"),
    path(f"{DRAFT}undo", drafts.undo, name="draft_undo"),
    path(f"{DRAFT}redo", drafts.redo, name="draft_redo"),
    path(f"{DRAFT}settle", drafts.settle, name="draft_settle"),
    path(f"{DRAFT}back", drafts.put_back, name="draft_put_back"),
    path(f"{DRAFT}save", drafts.save, name="draft_save"),
    path(f"{DRAFT}resolve", drafts.resolve, name="draft_resolve"),
    path(f"{DRAFT}run", drafts.run, name="draft_run"),
    path(f"{DRAFT}people", drafts.people, name="draft_people"),
    path(f"{DRAFT}discard", drafts.discard, name="draft_discard"),
    path(f"{HERE}generate/", generating.generate, name="generate"),
    path(f"{HERE}generate/fields", guide_views.description_guide, name="description_guide"),
    path(f"{HERE}generate/make", generating.make, name="make_generated"),
    path(f"{HERE}generate/scheduler-perf/", scheduler_perf.choose, name="scheduler_perf"),
    path(f"{HERE}generate/scheduler-perf/make", scheduler_perf.make_case, name="make_scheduler_perf"),
    path(f"{HERE}tasks/<int:number>/", background.task, name="task"),
    path(f"{HERE}tasks/<int:number>/cancel", background.cancel, name="cancel_task"),
    path(f"{HERE}import/", importing.start, name="import"),
    path(IMPORT, importing.preview, name="import_preview"),
    path(f"{IMPORT}save", importing.save, name="import_save"),
    path(f"{IMPORT}merge", importing.merge, name="import_merge"),
    path(f"{IMPORT}files", importing.change, name="import_files"),
    path(f"{IMPORT}files/<int:position>/", importing.edit_file, name="import_file"),
    path(f"{IMPORT}discard", importing.discard, name="import_discard"),
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
