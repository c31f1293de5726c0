"""Keep what was changed in a run: the page, each way, what is refused, and the links back."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from dashboard.clusters.models import Draft, Revision
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents.models import SchedulerConfig, Timeline
from dashboard.live.feed import topics
from dashboard.runs import execution
from dashboard.runs.actions import delete_run, find_run
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.models import BranchKeeping, Run
from dashboard.runs.storage import deletion
from tests.dashboard.debugger.page_text import text
from tests.dashboard.run_helpers import node

pytestmark = pytest.mark.django_db
CORDON = {
    "action": "patch",
    "object": {"kind": "Node", "metadata": {"name": "full-a"}, "spec": {"unschedulable": True}},
}


@pytest.fixture
def branch(run, editor, cycle_of):
    """A function that branches the run before the refusal of a pod, and executes the branch."""

    def branch(*changes, is_run=True, **how):
        made = branch_run(editor.member, run, Branching(cycle_of("never-0").first_seq, changes, **how))
        while is_run and execution.work():
            pass
        return find_run(made.workspace, made.number)

    return branch


def page_of(person, made, fields=None):
    address = reverse("debugger:keep", args=["team", made.number])
    return person.get(address) if fields is None else person.post(address, fields)


def is_disabled(response, way):
    """Return whether the button of a way to keep is off."""
    button = re.search(rf'<button[^>]*value="{way}"[^>]*>', response.content.decode())[0]
    return "disabled" in button


def test_a_draft_is_made_in_one_click_and_both_lead_to_each_other(branch, editor):
    made = branch(CORDON, name="cordoned")
    assert len(page_of(editor, made).context["plan"].in_cluster) == 1
    response = page_of(editor, made, {"do": "draft"})
    draft = Draft.objects.get()
    address = reverse("clusters:draft", args=["team", draft.cluster.slug, draft.pk])
    assert response["Location"] == address
    page = editor.get(address)
    assert f'href="{reverse("debugger:run", args=["team", made.number])}"' in page.content.decode()
    assert "from cordoned" in text(page)
    assert f"the draft {draft.name}" in text(page)
    again = page_of(editor, made)
    assert [url for _, url, _ in again.context["keepings"]] == [address]
    assert [one.kind for one in made.keepings.all()] == ["draft"]
    assert f'href="{address}"' in again.content.decode()


def test_open_pages_that_show_the_branch_hear_what_it_was_taken_into(branch, editor):
    made = branch(CORDON)
    before = topics.version_of(made.workspace_id)
    page_of(editor, made, {"do": "draft"})
    assert topics.changes_since(made.workspace_id, before).topics == {f"branch:{made.pk}"}


def test_a_second_click_of_the_same_form_makes_no_second_draft(branch, editor):
    made = branch(CORDON)
    token = re.search(r'name="once" value="([^"]+)"', page_of(editor, made).content.decode())[1]
    first, second = (page_of(editor, made, {"do": "draft", "once": token}) for _ in range(2))
    assert first["Location"] == second["Location"]
    assert Draft.objects.count() == 1


def test_a_revision_says_what_it_was_kept_from(branch, editor, run):
    made = branch(CORDON)
    response = page_of(editor, made, {"do": "revision", "message": "No full-a"})
    assert Revision.objects.get(number=2, cluster=run.revision.cluster).message == "No full-a"
    page = editor.get(response["Location"]).content.decode()
    assert f'href="{reverse("debugger:run", args=["team", made.number])}"' in page


def test_what_others_changed_too_is_named_and_only_the_draft_is_offered(branch, editor, run):
    raws = [raw for raw in read_contents(run.revision).manifests if raw["metadata"]["name"] != "full-a"]
    theirs = node("full-a", "4") | {"spec": {"unschedulable": False}}
    object_store.save_revision(run.revision.cluster, [*raws, theirs], Saving(None))
    made = branch(CORDON)
    shown = page_of(editor, made)
    assert [one.text for one in shown.context["unsettled"]] == ["Node full-a: spec.unschedulable"]
    assert is_disabled(shown, "revision")
    assert not is_disabled(shown, "draft")
    response = page_of(editor, made, {"do": "revision", "message": "mine"})
    assert response.status_code == 409
    assert response.context["problem"].status == 409
    assert not BranchKeeping.objects.exists()
    draft = editor.get(page_of(editor, made, {"do": "draft"})["Location"])
    assert "changed 1 object" in text(draft)


def test_weights_become_a_configuration_by_a_name(branch, editor):
    made = branch(weights={"ImageLocality": 7}, profile="default-scheduler")
    assert 'id="keep-cluster"' not in page_of(editor, made).content.decode()
    refused = page_of(editor, made, {"do": "new_configuration", "name": " "})
    assert (refused.status_code, bool(refused.context["problem"])) == (400, True)
    response = page_of(editor, made, {"do": "new_configuration", "name": "Images"})
    config = SchedulerConfig.objects.get()
    assert response["Location"] == f"{reverse('clusters:configuration', args=['team', config.slug])}?r=1"
    assert f"from run {made.number}" in text(editor.get(response["Location"]))
    taken = page_of(editor, made, {"do": "new_configuration", "name": "Images"})
    assert taken.status_code == 409
    assert 'value="Images"' in taken.content.decode()


def test_a_timeline_by_a_name_has_the_change_at_its_moment(branch, editor):
    made = branch(CORDON)
    shown = page_of(editor, made).context
    assert (len(shown["plan"].fit_for_timeline), len(shown["moments"])) == (1, 1)
    response = page_of(editor, made, {"do": "new_timeline", "name": "Cordon"})
    page = editor.get(response["Location"])
    assert (Timeline.objects.get().name, page.status_code) == ("Cordon", 200)
    assert [one.kind for one in made.keepings.all()] == ["timeline"]
    assert f"from run {made.number}" in text(page)


def test_policies_are_for_whoever_starts_a_run(branch, editor):
    made = branch({"action": "set_policies", "policies": {"draw": "smallest", "job_running_us": None}})
    content = page_of(editor, made).content.decode()
    link = re.search(r'href="([^"]+)">New run with these policies', content)[1].replace("&amp;", "&")
    form = editor.get(link).content.decode()
    assert re.search(r'<option\s+value="smallest"\s+selected', form)


def test_a_viewer_sees_the_choices_and_cannot_take_them(branch, viewer, stranger):
    made = branch(CORDON)
    content = page_of(viewer, made).content.decode()
    assert 'value="draft"' in content
    assert not re.search(r'<button[^>]*name="do"(?:(?!disabled)[^>])*>', content)
    assert page_of(viewer, made, {"do": "draft"}).status_code == 403
    assert page_of(stranger, made).status_code == 404
    assert not Draft.objects.exists()


def test_without_changes_or_before_they_came_there_is_nothing_to_keep(branch, editor, run):
    assert page_of(editor, run).status_code == 404
    waiting = branch(CORDON, is_run=False)
    response = page_of(editor, waiting)
    assert response.status_code == 409
    assert f"Run {waiting.number}" in text(response)


def test_the_run_bar_and_its_menu_lead_there(branch, viewer, run):
    made = branch(CORDON)
    plain = viewer.get(reverse("debugger:run", args=["team", run.number], query={"seq": 5})).content.decode()
    assert "/keep/" not in plain
    page = viewer.get(reverse("debugger:run", args=["team", made.number], query={"seq": 5}))
    assert page.content.decode().count(f'href="{reverse("debugger:keep", args=["team", made.number])}"') == 2


def test_a_change_at_the_head_of_a_run_is_kept_as_well(editor, run):
    run.head.n_changes = 1
    run.head.save()
    run.changes.create(number=1, changes=[CORDON], seq=run.head.seq - 1, created_by=editor.user)
    response = page_of(editor, run)
    assert response.status_code == 200
    assert "Node full-a changed" in text(response)


def test_a_draft_of_somebody_else_is_named_without_a_link(branch, editor, viewer):
    made = branch(CORDON)
    address = page_of(editor, made, {"do": "draft"})["Location"]
    content = page_of(viewer, made).content.decode()
    assert "Kept already" in content
    assert address not in content


def test_a_draft_outlives_the_run_that_it_was_kept_from(branch, editor):
    made = branch(CORDON, name="cordoned")
    address = page_of(editor, made, {"do": "draft"})["Location"]
    assert "from cordoned" in text(editor.get(address))
    delete_run(editor.member, made)
    assert "from cordoned" not in text(editor.get(address))
    while deletion.delete_some():
        pass
    assert not Run.everything.filter(pk=made.pk).exists()
    assert not BranchKeeping.objects.exists()
    page = editor.get(address)
    assert (page.status_code, f"{made.number}: cordoned" in text(page)) == (200, True)


# ---------------------------------------------------------------- words


def test_words_of_the_page(branch, editor, viewer):
    made = branch(CORDON, name="cordoned")
    shown, as_viewer = text(page_of(editor, made)), text(page_of(viewer, made))
    sentences = ["1 object of", "Makes a draft of your own", "1 change as entry at"]
    assert [one for one in sentences if one not in shown] == []
    assert "Editors and admins keep changes." in as_viewer
    refused = page_of(editor, made, {"do": "new_configuration", "name": " "})
    assert "Give it a name." in text(refused)
    draft = editor.get(page_of(editor, made, {"do": "draft"})["Location"])
    assert "Kept from cordoned" in text(draft)
    assert "Kept as the draft" in text(draft)
    assert "Kept already" in text(page_of(editor, made))
    assert "has not come to its changes yet" in text(page_of(editor, branch(CORDON, is_run=False)))


def test_words_of_what_others_changed_too(branch, editor, run):
    raws = [raw for raw in read_contents(run.revision).manifests if raw["metadata"]["name"] != "full-a"]
    theirs = node("full-a", "4") | {"spec": {"unschedulable": False}}
    object_store.save_revision(run.revision.cluster, [*raws, theirs], Saving(None))
    made = branch(CORDON)
    shown = text(page_of(editor, made))
    assert "Revision 2 changed the same: Node full-a: spec" in shown
    assert "A revision straight away is off while both changed the same." in shown
    assert "Keep the changes as a draft" in text(page_of(editor, made, {"do": "revision", "message": "mine"}))
    draft = editor.get(page_of(editor, made, {"do": "draft"})["Location"])
    assert "Both have changed 1 object" in text(draft)


def test_a_revision_is_undone_from_the_page_that_it_leads_to(branch, editor, run):
    slug = run.revision.cluster.slug
    response = page_of(editor, branch(CORDON), {"do": "revision", "message": "No full-a"})
    page = editor.get(response["Location"])
    assert "Kept as revision 2" in text(page)
    assert f'"{reverse("clusters:undo", args=["team", slug, 2])}"' in page.content.decode()


def test_what_others_changed_elsewhere_in_the_same_object_comes_together(branch, editor, run):
    manifests = read_contents(run.revision).manifests
    (mine,) = [raw for raw in manifests if raw["metadata"]["name"] == "full-a"]
    theirs = mine | {"metadata": mine["metadata"] | {"labels": {"disk": "ssd"}}}
    others = [raw for raw in manifests if raw is not mine]
    made = branch(CORDON)
    assert page_of(editor, made).context["brought_together"] == []
    object_store.save_revision(run.revision.cluster, [*others, theirs], Saving(None))
    context = page_of(editor, made).context
    assert ([one.key.name for one in context["brought_together"]], context["unsettled"]) == (["full-a"], [])
