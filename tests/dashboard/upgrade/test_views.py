"""The pages: the form, progress, the report with its parts, JSON, and what other members see."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents.actions import NewText
from dashboard.documents.timelines.actions import save_timeline
from dashboard.runs.actions import Launch, create_run
from dashboard.upgrade import computing
from dashboard.upgrade.models import StoredUpgrade
from dashboard.upgrade.progress import ReportProgress
from dashboard.upgrade.queries import report_in
from scheduler_core.compare.upgrade import UpgradeReport
from tests.dashboard.helpers import strict_html
from tests.dashboard.upgrade.conftest import PAGE
from tests.scheduler_core.compare.upgrade.clusters import node, pod


def plain(response):
    return " ".join(re.sub(r"<[^>]+>", " ", strict_html(response)).split())


@pytest.fixture
def report(ask):
    """The row of a report in which one pod differs."""
    row = ask(seed=1)
    computing.work()
    row.refresh_from_db()
    return row


def test_the_form_offers_each_train_with_what_it_rests_on_and_leads_to_the_report(editor, revision, no_worker):
    page = strict_html(editor.get(PAGE))
    assert page.count(">1.37, derived from sources</option>") == 2
    assert re.search(r'value="1.36"\s+selected\s*>1.36, measured against 1.36.2<', page)
    assert "Nothing was compared yet" in page
    data = {"r": "1", "before": "1.34.0", "after": "1.36", "seed": "7", "after_gates": "NodeDeclaredFeatures=false"}
    leads = editor.post(f"{PAGE}start", data)
    row = StoredUpgrade.objects.get()
    assert leads["Location"] == f"{PAGE}{row.pk}/"
    assert (row.before, row.after, row.after_gates, row.seed) == ("1.34.0", "1.36", "NodeDeclaredFeatures=false", 7)


def test_the_first_version_is_the_one_that_the_cluster_runs_and_the_second_the_next_one(editor, workspace):
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    named = node("n1", status={"nodeInfo": {"kubeletVersion": "v1.34.1+k3s1"}})
    object_store.save_revision(cluster, [named], Saving(None))
    form = editor.get(PAGE).context["form"]
    assert (form.before, form.after) == ("1.34.0", "1.34")
    assert "The newest kubelet is 1.34.1." in plain(editor.get(PAGE))


@pytest.mark.parametrize(
    "data",
    [{"before": "none"}, {"after_gates": "Nope=true"}, {"config": "nothing"}, {"timeline": "none"}, {"seed": "-1"}],
)
def test_wrong_choices_are_refused(editor, revision, no_worker, data):
    response = editor.post(f"{PAGE}start", {"before": "1.35", "after": "1.36", **data})
    assert response.status_code in (400, 404)
    assert not StoredUpgrade.objects.exists()


def test_a_page_asks_again_while_it_is_computed_and_is_led_to_the_report(editor, viewer, ask):
    row = ask(seed=1)
    url = f"{PAGE}{row.pk}/"
    page = strict_html(viewer.get(url))
    assert "load delay" in page
    assert f"{url}cancel" not in page
    assert f"{url}cancel" in strict_html(editor.get(url))
    listed = viewer.get(PAGE)
    assert "Waiting for a worker" in plain(listed)
    assert listed.context["is_going"]
    part = viewer.get(PAGE, headers={"HX-Request": "true"}).content.decode().strip()
    assert part.startswith("<div")
    assert 'id="upgrade-listed"' in part
    computing.work()
    headers = {"HX-Request": "true", "HX-Target": "upgrade-progress"}
    assert viewer.get(url, headers=headers)["HX-Redirect"] == url
    assert "load delay" not in strict_html(viewer.get(url))


def test_the_report_says_the_answer_its_behaviours_decisions_and_texts(viewer, report):
    page = strict_html(viewer.get(f"{PAGE}{report.pk}/"))
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert report.headline in text
    assert 'href="https://github.com/kubernetes/kubernetes/pull/130231"' in page
    assert "by image_volumes_count" in text
    assert "node(s) had untolerated taint<mark> {&lt;taint&gt;}</mark>" in page
    assert "node(s) had untolerated taint<mark>(s)</mark>" in page
    assert "finds nothing under 1.36" in text
    assert "Decides nothing here" in text
    assert "derived" in text


def test_each_row_of_a_report_with_a_derived_version_says_so(viewer, ask):
    row = ask("1.36", "1.37", seed=1)
    computing.work()
    shown = viewer.get(f"{PAGE}{row.pk}/").context["shown"]
    assert shown.behaviours
    assert all(one.is_derived for one in shown.behaviours)


def test_nothing_that_differs_is_said(viewer, ask):
    row = ask("1.36", "1.36.2")
    computing.work()
    row.refresh_from_db()
    text = plain(viewer.get(f"{PAGE}{row.pk}/"))
    assert not row.differs
    assert row.headline in text
    assert "Both versions have the same behaviours." in text
    assert "Every attempt is decided alike" in text


def test_the_form_is_filled_in_as_for_a_report(viewer, editor, ask):
    row = ask("1.33", "1.36", seed=5)
    again = strict_html(editor.get(ReportProgress(row).again_url))
    assert re.search(r'value="1.33"\s+selected', again)
    assert re.search(r'value="1.36"\s+selected', again)
    assert 'value="5"' in again
    assert f"{PAGE}start" not in strict_html(viewer.get(PAGE))


def test_failed_and_cancelled_ones_say_why(viewer, editor, ask, monkeypatch):
    failed, cancelled = ask(), ask(seed=1)
    editor.post(f"{PAGE}{cancelled.pk}/cancel")
    StoredUpgrade.objects.filter(pk=failed.pk).update(error="no room", ended_at=failed.asked_at)
    assert "No room" in plain(viewer.get(f"{PAGE}{failed.pk}/"))
    assert "Cancelled by" in plain(viewer.get(f"{PAGE}{cancelled.pk}/"))


def test_json_is_what_the_command_line_prints(viewer, report):
    response = viewer.get(f"{PAGE}{report.pk}/upgrade.json")
    assert response["Content-Type"] == "application/json"
    assert msgspec.json.decode(response.content, type=UpgradeReport) == report_in(report)
    assert json.loads(response.content)["pods"][0]["by"] == ["image_volumes_count"]


def test_there_is_no_json_before_there_is_a_report_and_none_of_another_cluster(viewer, ask):
    row = ask()
    assert viewer.get(f"{PAGE}{row.pk}/upgrade.json").status_code == 404
    assert viewer.get(f"/w/team/clusters/other/upgrade/{row.pk}/").status_code == 404


def test_the_form_begins_with_the_timeline_of_the_clusters_newest_run(editor, revision, no_worker):
    assert "timeline arrivals" not in strict_html(editor.get(PAGE))
    entries = [{"at": 1, "action": "add", "object": pod("c-0", "1", "1Gi")}]
    timeline = save_timeline(editor.member, None, NewText("arrivals", json.dumps({"entries": entries})), revision)
    assert not re.search(r'value="arrivals"\s+selected', strict_html(editor.get(PAGE)))
    create_run(editor.member, Launch(revision, timeline=timeline, schedule="timeline", policies={"kubernetes": "1.36"}))
    assert re.search(r'value="arrivals"\s+selected', strict_html(editor.get(PAGE)))
    assert not re.search(r'value="arrivals"\s+selected', strict_html(editor.get(f"{PAGE}?timeline=")))
