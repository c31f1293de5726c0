"""Addresses of dashboard.clusters."""

from __future__ import annotations

from django.urls import path

from dashboard.clusters.documents import views as texts
from dashboard.clusters.editor import views as objects
from dashboard.clusters.importing import views as imports
from dashboard.clusters.revisions import export_views, views
from dashboard.clusters.tables import views as tables

HERE = "w/<slug:slug>/"
CLUSTER = f"{HERE}clusters/<slug:cluster>/"
IMPORT = f"{HERE}import/<int:draft_id>/"

app_name = "clusters"
urlpatterns = [
    path(f"{HERE}clusters/", views.cluster_list, name="list"),
    path(f"{HERE}clusters/new/", views.new_cluster, name="new"),
    path(CLUSTER, views.detail, name="detail"),
    path(f"{CLUSTER}nodes/", tables.nodes, name="nodes"),
    path(f"{CLUSTER}nodes/change", objects.change_nodes, name="change_nodes"),
    path(f"{CLUSTER}pods/", tables.pods, name="pods"),
    path(f"{CLUSTER}objects/", tables.objects, name="objects"),
    path(f"{CLUSTER}object/", objects.show, name="object"),
    path(f"{CLUSTER}object/new/", objects.add, name="add_object"),
    path(f"{CLUSTER}object/validate", objects.validate, name="validate_object"),
    path(f"{CLUSTER}object/save", objects.save, name="save_object"),
    path(f"{CLUSTER}object/delete", objects.delete, name="delete_object"),
    path(f"{CLUSTER}object/export", export_views.one, name="export_object"),
    path(f"{CLUSTER}history/", views.history, name="history"),
    path(f"{CLUSTER}history/restore", views.restore, name="restore"),
    path(f"{CLUSTER}diff/", views.diff, name="diff"),
    path(f"{CLUSTER}export", export_views.revision, name="export"),
    path(f"{CLUSTER}settings/", views.settings, name="settings"),
    path(f"{CLUSTER}archive", views.archive, name="archive"),
    path(f"{HERE}import/", imports.start, name="import"),
    path(f"{HERE}import/reading/", imports.reading, name="reading"),
    path(IMPORT, imports.preview, name="import_preview"),
    path(f"{IMPORT}save", imports.save, name="import_save"),
    path(f"{IMPORT}files", imports.change, name="import_files"),
    path(f"{IMPORT}files/<int:position>/", imports.edit_file, name="import_file"),
    path(f"{IMPORT}discard", imports.discard, name="import_discard"),
    path(f"{HERE}configurations/", texts.configuration_list, name="configurations"),
    path(f"{HERE}configurations/new/", texts.new_configuration, name="new_configuration"),
    path(f"{HERE}configurations/default/", texts.default_configuration, name="default_configuration"),
    path(f"{HERE}configurations/presets/<slug:preset>/", texts.preset, name="preset"),
    path(f"{HERE}configurations/validate", texts.validate_configuration, name="validate_configuration"),
    path(f"{HERE}configurations/save", texts.save_configuration, name="save_configuration"),
    path(f"{HERE}configurations/<slug:config>/", texts.configuration, name="configuration"),
    path(f"{HERE}configurations/<slug:config>/export", texts.export_configuration, name="export_configuration"),
    path(f"{HERE}timelines/", texts.timeline_list, name="timelines"),
    path(f"{HERE}timelines/new/", texts.new_timeline, name="new_timeline"),
    path(f"{HERE}timelines/validate", texts.validate_timeline, name="validate_timeline"),
    path(f"{HERE}timelines/save", texts.save_timeline, name="save_timeline"),
    path(f"{HERE}timelines/<slug:timeline>/", texts.timeline, name="timeline"),
    path(f"{HERE}timelines/<slug:timeline>/export", texts.export_timeline, name="export_timeline"),
    path(f"{HERE}texts/<str:sort>/archive", texts.archive, name="archive_text"),
]
