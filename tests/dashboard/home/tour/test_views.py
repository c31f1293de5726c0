"""The tour over HTTP: its steps are ordinary pages, a member's step is all that it writes, and anybody may take it."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.urls import get_resolver

from dashboard.accounts.models import Member
from dashboard.home.tour.steps import POD, STEPS
from dashboard.runs import demo, execution
from dashboard.runs.actions import find_run
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Cycle, Run, RunHead, State
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.role_tables import assert_each_role_gets_its_answer
from tests.dashboard.row_snapshots import snapshot_of

pytestmark = pytest.mark.django_db

HOME, STEP, LEAVE, END = "/w/team/", "/w/team/tour/step", "/w/team/tour/leave", "/w/team/tour/end"
FINISH = "/w/team/tour/finish"


@pytest.fixture
def teaching(workspace, editor, monkeypatch):
    """The demo run of the small cluster, finished."""
    monkeypatch.setattr(waiting, "_send", lambda task: None)

    def make():
        number = demo.load_teaching(editor.member).number
        while execution.work():
            pass
        return number

    return find_run(workspace, snapshot_of("the teaching run", make))


def state_of(person):
    """Return the step that somebody is at, and whether it is shown."""
    member = Member.objects.get(pk=person.member.pk)
    return member.tour_step, member.tour_is_shown


def go(person, step):
    """Go to a step as its button does; return the page and the address that it is had at."""
    response = person.post(STEP, {"step": step})
    address, _, fragment = response["Location"].partition("#")
    assert fragment == "tour"
    return person.get(address, follow=True), address


def rows():
    """Return how many rows each table has, but those of sessions and of what is computed for pages."""
    left_out = {"session", "runoutcomes", "preparation"}
    return {
        model._meta.label: model._base_manager.count()
        for model in apps.get_models()
        if model._meta.model_name not in left_out
    }


@pytest.mark.parametrize("url", [STEP, LEAVE, END, FINISH])
def test_every_member_may_and_nobody_else(people, teaching, url):
    assert_each_role_gets_its_answer(people, "viewer", 302, lambda person, role: person.post(url, {"step": 1}))
    assert people["admin"].get(url).status_code == 405


def test_every_address_is_tried():
    _, resolver = get_resolver().namespace_dict["home"]
    keys = {key for key in resolver.reverse_dict if isinstance(key, str)}
    assert keys == {"home", "waiting", "tour_step", "tour_leave", "tour_end", "tour_finish"}


def test_the_first_page_alone_begins_it(viewer, teaching):
    assert STEP in viewer.get(HOME).content.decode()
    assert "/tour/" not in viewer.get("/w/team/runs/").content.decode()
    assert state_of(viewer) == (0, False)


@pytest.mark.slow
@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_each_step_is_a_page_with_its_caption_and_writes_no_row(people, teaching, role):
    person, before = people[role], rows()
    for number, step in enumerate(STEPS, 1):
        response, _ = go(person, number)
        assert response.status_code == 200
        assert response.context["tour"].step == step
        assert response.context["tour"].is_here
        page = response.content.decode()
        assert_strict_csp(page)
        assert f'data-step="{step.key}"' in page
        assert state_of(person) == (number, True)
    assert rows() == before


def test_steps_follow_the_pod_from_its_first_attempt(viewer, teaching):
    first = Cycle.objects.filter(run_id=teaching.pk, pod=POD).order_by("number").first()
    urls = [go(viewer, number)[1] for number in (3, 5, 6)]
    run = f"/w/team/runs/{teaching.number}/"
    both = f"a={teaching.number}&b={teaching.number}&a_seq={first.last_seq + 1}"
    assert urls == [
        f"{run}?cycle={first.number}",
        f"/w/team/compare/?{both}",
        f"{run}?cycle={first.number}&tab=threads",
    ]


def test_a_page_of_no_step_has_the_way_back(viewer, teaching):
    go(viewer, 3)
    page = viewer.get("/w/team/runs/").content.decode()
    assert 'data-step=""' in page
    assert 'value="3"' in page
    assert state_of(viewer) == (3, True)
    # Another moment of the run is still the step's page.
    moved = viewer.get(f"/w/team/runs/{teaching.number}/?cycle=3")
    assert moved.context["tour"].is_here


def test_left_it_goes_on_from_the_first_page(viewer, teaching):
    go(viewer, 4)
    response = viewer.post(LEAVE, {"next": "/w/team/runs/"})
    assert response["Location"] == "/w/team/runs/"
    assert state_of(viewer) == (4, False)
    assert "tour-card" not in viewer.get("/w/team/runs/").content.decode()
    lead = viewer.get(HOME).context["tour_lead"]
    assert (lead.number, lead.step.key) == (4, "try")
    assert go(viewer, lead.number)[0].context["tour"].number == 4


def test_htmx_leaves_without_another_page(viewer, teaching):
    go(viewer, 2)
    response = viewer.post(LEAVE, headers={"HX-Request": "true"})
    assert (response.status_code, response.content) == (200, b"")


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""])
def test_leaving_leads_to_no_other_site(viewer, address):
    assert viewer.post(LEAVE, {"next": address})["Location"] == HOME


def test_ended_it_begins_at_its_first_step(viewer, teaching):
    go(viewer, 6)
    assert viewer.post(END)["Location"] == HOME
    assert state_of(viewer) == (0, False)
    response = viewer.get(HOME)
    assert response.context["tour_lead"] is None
    assert response.context["may_begin_tour"]


@pytest.mark.slow
def test_finished_it_is_done_and_offered_again_for_each_member_alone(viewer, editor, teaching):
    go(viewer, 6)
    assert FINISH in go(viewer, 6)[0].content.decode()
    assert viewer.post(FINISH)["Location"] == HOME
    assert state_of(viewer) == (0, False)
    said = {person: person.get(HOME).content.decode() for person in (viewer, editor)}
    assert "Take the tour again" in said[viewer]
    assert "Take the tour again" not in said[editor]
    go(viewer, 2)
    viewer.post(END)
    assert "Take the tour again" in viewer.get(HOME).content.decode()


def test_it_goes_on_from_the_menu_of_any_page(viewer, teaching):
    entry = 'data-command="Go on with the tour"'
    assert entry not in viewer.get("/w/team/clusters/").content.decode()
    go(viewer, 4)
    viewer.post(LEAVE)
    page = viewer.get("/w/team/clusters/")
    assert entry in page.content.decode()
    assert page.context["tour"] is None
    # The first page has the command once.
    assert viewer.get(HOME).content.decode().count(entry) == 1
    viewer.post(END)
    assert entry not in viewer.get("/w/team/clusters/").content.decode()


def test_each_member_has_a_step_of_their_own(viewer, editor, teaching):
    go(viewer, 2)
    go(editor, 5)
    assert (state_of(viewer), state_of(editor)) == ((2, True), (5, True))


def test_it_ends_with_a_message_where_its_run_is_gone(viewer, teaching):
    go(viewer, 2)
    Run.objects.filter(pk=teaching.pk).update(state=State.DELETING)
    card = viewer.get("/w/team/runs/").context["tour"]
    assert card.over is None
    assert not card.is_here
    assert viewer.get(HOME).context["tour_lead"].over is None
    response = viewer.post(STEP, {"step": 3}, follow=True)
    assert response.redirect_chain[-1][0] == HOME
    [message] = response.context["messages"]
    assert demo.TEACHING.run in str(message)
    assert state_of(viewer) == (0, False)


def test_who_joins_a_workspace_at_work_may_begin_it_too(viewer, teaching):
    Run.objects.filter(pk=teaching.pk).update(number=7)
    own = Run.objects.create(workspace=teaching.workspace, number=8, revision=teaching.revision, state=State.QUEUED)
    RunHead.objects.create(run=own)
    own.revision.pk, own.revision.number, own.revision.source = None, 2, ""
    own.revision.save()
    Run.objects.filter(pk=own.pk).update(revision=own.revision)
    response = viewer.get(HOME)
    assert response.context["demo"] is None
    assert response.context["may_begin_tour"]
    assert STEP in response.content.decode()


def test_a_run_that_goes_on_is_not_begun_with(viewer, teaching):
    Run.objects.filter(pk=teaching.pk).update(state=State.RUNNING)
    response = viewer.get(HOME)
    assert response.context["demo"]
    assert not response.context["may_begin_tour"]


@pytest.mark.parametrize("step", ["0", "7", "x", "99999999999"])
def test_a_step_that_there_is_not_is_refused(viewer, teaching, step):
    assert viewer.post(STEP, {"step": step}).status_code == 400
    assert state_of(viewer) == (0, False)


def test_a_page_with_it_costs_two_queries_more(viewer, teaching, django_assert_max_num_queries):
    with django_assert_max_num_queries(200) as without:
        viewer.get("/w/team/runs/")
        n_without = len(without)
    go(viewer, 1)
    with django_assert_max_num_queries(n_without + 2):
        viewer.get("/w/team/runs/")


def test_the_caption_says_what_a_role_may_write(viewer, reviewer, teaching):
    said = {person: go(person, 6)[0].content.decode() for person in (viewer, reviewer)}
    assert "viewer, reads" in said[viewer]
    assert "viewer, reads" not in said[reviewer]
