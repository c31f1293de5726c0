"""Addresses of dashboard.clusters; `dashboard.urls` gives them their namespace."""

from __future__ import annotations

from django.urls import path

from dashboard.clusters.background import views as background
from dashboard.clusters.drafts import views as drafts
from dashboard.clusters.editor import guide_views
from dashboard.clusters.editor import views as editor
from dashboard.clusters.forms import views as forms
from dashboard.clusters.importing import views as importing
from dashboard.clusters.map import views as cluster_map
from dashboard.clusters.messages import views as messages
from dashboard.clusters.revisions import export_views as exports
from dashboard.clusters.revisions import short_views as short
from dashboard.clusters.revisions import views as revisions
from dashboard.clusters.tables import views as tables
from dashboard.clusters.workbench import hand_views as by_hand
from dashboard.clusters.workbench import views as workbench

HERE = "w/<slug:slug>/"
CLUSTER = f"{HERE}clusters/<slug:cluster>/"
DRAFT = f"{CLUSTER}drafts/<int:draft_id>/"
IMPORT = f"{HERE}import/<int:draft_id>/"

urlpatterns = [
    path(f"{HERE}clusters/", revisions.cluster_list, name="list"),
    path(f"{HERE}message/", messages.message, name="message"),
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
    path(f"{HERE}tasks/<int:number>/", background.task, name="task"),
    path(f"{HERE}tasks/<int:number>/cancel", background.cancel, name="cancel_task"),
    path(f"{HERE}import/", importing.start, name="import"),
    path(IMPORT, importing.preview, name="import_preview"),
    path(f"{IMPORT}save", importing.save, name="import_save"),
    path(f"{IMPORT}merge", importing.merge, name="import_merge"),
    path(f"{IMPORT}files", importing.change, name="import_files"),
    path(f"{IMPORT}files/<int:position>/", importing.edit_file, name="import_file"),
    path(f"{IMPORT}discard", importing.discard, name="import_discard"),
]
