"""Addresses of dashboard.debugger."""

from __future__ import annotations

from django.urls import path

from dashboard.debugger import answer_views, map_views, object_views, state_views, timeline_views, views
from dashboard.debugger.branches import change_views, list_views
from dashboard.debugger.branches import keep_views as keeping
from dashboard.debugger.branches import views as branches
from dashboard.debugger.breakpoints import views as breakpoints
from dashboard.debugger.outcomes import views as outcomes
from dashboard.debugger.sharing import short_views
from dashboard.debugger.sharing import views as sharing
from dashboard.debugger.watches import views as watches
from dashboard.debugger.why import adding, run_on
from dashboard.debugger.why import owner as why_owner
from dashboard.debugger.why import views as why
from dashboard.debugger.why.node import views as why_node

app_name = "debugger"
RUN = "w/<slug:slug>/runs/<int:number>/"
urlpatterns = [
    path(RUN, views.run_page, name="run"),
    path(f"{RUN}c/<int:cycle>/", short_views.cycle, name="short_cycle"),
    path(f"{RUN}c/<int:cycle>/o/<str:kind>/<path:key>", short_views.cycle_object, name="short_cycle_object"),
    path(f"{RUN}c/<int:cycle>/<path:rest>", short_views.cycle, name="short_cycle_part"),
    path(f"{RUN}s/<int:seq>/", short_views.seq, name="short_seq"),
    path(f"{RUN}s/<int:seq>/o/<str:kind>/<path:key>", short_views.seq_object, name="short_seq_object"),
    path(f"{RUN}s/<int:seq>/<path:rest>", short_views.seq, name="short_seq_part"),
    path(f"{RUN}decision.<slug:form>", sharing.decision, name="decision_note"),
    path(f"{RUN}story.<slug:form>", sharing.story, name="story_note"),
    path(f"{RUN}answers/remedy/", answer_views.tried, name="remedy_tried"),
    path(f"{RUN}answers/<slug:name>/", answer_views.answer, name="answer"),
    path(f"{RUN}outcomes/", outcomes.outcomes, name="outcomes"),
    path(f"{RUN}outcomes.<slug:form>", outcomes.export, name="outcomes_export"),
    path(f"{RUN}why/", why.pending, name="why"),
    path(f"{RUN}why/would/", why.would, name="why_would"),
    path(f"{RUN}why/would/run-on/", run_on.own_change, name="change_run_on"),
    path(f"{RUN}why/run-on/", run_on.remedy, name="why_run_on"),
    path(f"{RUN}why/into-draft/", run_on.into_draft, name="why_into_draft"),
    path(f"{RUN}why/owner/", why_owner.page, name="why_owner"),
    path(f"{RUN}why/owner/answers/<slug:name>/", why_owner.answer, name="why_owner_answer"),
    path(f"{RUN}why-node/run-on/", run_on.weights, name="weights_run_on"),
    path(f"{RUN}why-node/", why_node.rivals, name="why_node"),
    path(f"{RUN}why-node/answers/<slug:name>/", why_node.answer, name="why_node_answer"),
    path(f"{RUN}branch/", branches.branch, name="branch"),
    path(f"{RUN}list/", list_views.edit, name="list_edit"),
    path(f"{RUN}list/tried/", list_views.tried, name="list_tried"),
    path(f"{RUN}list/remedy/", adding.add_remedy, name="list_remedy"),
    path(f"{RUN}list/change/", adding.add_own, name="list_own"),
    path(f"{RUN}list/weights/", adding.add_weights, name="list_weights"),
    path(f"{RUN}change/", change_views.change, name="change"),
    path(f"{RUN}changes/", change_views.changes, name="changes"),
    path(f"{RUN}branch-point/", branches.branch_point, name="branch_point"),
    path(f"{RUN}keep/", keeping.keep, name="keep"),
    path(f"{RUN}breakpoints/", breakpoints.panel, name="breakpoints"),
    path(f"{RUN}breakpoints/new/", breakpoints.new, name="breakpoint_new"),
    path(f"{RUN}breakpoints/<int:key>/", breakpoints.edit, name="breakpoint"),
    path(f"{RUN}breakpoints/<int:key>/switch/", breakpoints.switch, name="breakpoint_switch"),
    path(f"{RUN}breakpoints/<int:key>/delete/", breakpoints.delete, name="breakpoint_delete"),
    path(f"{RUN}hits/<slug:direction>/", breakpoints.nearest, name="nearest_hit"),
    path(f"{RUN}watches/add/", watches.add, name="watch_add"),
    path(f"{RUN}watches/names/", watches.names, name="watch_names"),
    path(f"{RUN}watches/series/", watches.series, name="watch_series"),
    path(f"{RUN}watches/take-over/", watches.take_over, name="watch_take_over"),
    path(f"{RUN}watches/<int:key>/move/", watches.move, name="watch_move"),
    path(f"{RUN}watches/<int:key>/remove/", watches.remove, name="watch_remove"),
    path(f"{RUN}cycles/missing/", answer_views.missing_in_cycles, name="cycles_missing"),
    path(f"{RUN}events/", timeline_views.events, name="events"),
    path(f"{RUN}events/rows/", timeline_views.event_rows, name="event_rows"),
    path(f"{RUN}lanes/<slug:name>/", views.lane, name="lane"),
    path(f"{RUN}map/", map_views.map_data, name="map"),
    path(f"{RUN}map/pods/", map_views.node_pods, name="node_pods"),
    path(f"{RUN}objects/<str:kind>/", object_views.show, name="object"),
    path(f"{RUN}state/", state_views.state, name="state"),
    path(f"{RUN}state/<slug:verb>/", state_views.steer, name="steer"),
    path(f"{RUN}density/", timeline_views.density, name="density"),
    path(f"{RUN}density/hits/", timeline_views.hit_marks, name="hit_marks"),
    path(f"{RUN}density/cycle/", timeline_views.preview, name="preview"),
]
