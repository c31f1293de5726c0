"""A decision as an image: what it shows, and that nothing in it runs whatever names say."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from django.urls import reverse

from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.sharing.decision import recorded_page
from dashboard.debugger.sharing.picture import MOST_LINES, MOST_NODES, WIDTH, picture_of
from dashboard.runs.models import Run
from tests.dashboard.run_helpers import cluster_of

pytestmark = pytest.mark.django_db
SITE = "https://site.example"
SVG = "{http://www.w3.org/2000/svg}"
PARTS = {f"{SVG}{name}" for name in ("svg", "g", "rect", "path", "text")}
HOSTILE = '"><script>alert(1)</script><image href="//evil"/>&\u202e]]>'


def picture(run, **query):
    return picture_of(recorded_page(cursor_of(run, "team", {name: str(value) for name, value in query.items()})), SITE)


def image(person, run, **query):
    """Return the image's elements, as the server sends it."""
    answer = person.get(reverse("debugger:decision_note", args=["team", run.number, "svg"]), query)
    assert answer.status_code == 200
    return ElementTree.fromstring(answer.content), answer


def texts(root):
    return [one.text for one in root.iter(f"{SVG}text")]


def test_a_decision_by_points_has_its_nodes_with_the_chosen_one_first(execute):
    run = execute(cluster_of(10, 12))
    shown = picture(run, cycle=12)
    assert [node.look for node in shown.nodes] == ["win", *["fit"] * (MOST_NODES - 1)]
    assert shown.more is not None
    bars = [node.bar for node in shown.nodes]
    assert bars == sorted(bars, reverse=True)
    assert shown.nodes[-1].y < shown.more.y < shown.urls[0].y < shown.height


def test_a_refused_pod_has_who_refused_it_on_each_node(run, cycle_of):
    shown = picture(run, cycle=cycle_of("never-0").number)
    assert {node.name for node in shown.nodes} == {"full-a", "full-b", "taint-c"}
    assert {node.look for node in shown.nodes} == {"no"}
    assert {node.said.partition(":")[0] for node in shown.nodes} == {"NodeResourcesFit", "TaintToleration"}
    assert shown.more is None


def test_before_the_first_attempt_there_are_no_nodes(run):
    assert picture(run, seq=0).nodes == []


def test_it_ends_with_its_address_and_is_a_file_in_which_nothing_runs(viewer, run):
    root, answer = image(viewer, run, cycle=1)
    assert texts(root)[-1] == f"http://testserver/w/team/runs/{run.number}/c/1/"
    assert answer["Content-Type"].startswith("image/svg+xml")
    assert answer["Content-Disposition"] == 'attachment; filename="run-1-cycle-1.svg"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script-src" not in policy


def test_a_name_that_means_harm_is_text(viewer, run):
    Run.objects.filter(pk=run.pk).update(name=HOSTILE)
    root, answer = image(viewer, run, cycle=1)
    assert {one.tag for one in root.iter()} <= PARTS
    assert not [name for one in root.iter() for name in one.attrib if name.startswith("on") or "href" in name]
    assert "<script>" in " ".join(texts(root))
    assert "\u202e" not in answer.content.decode()


def test_long_texts_stay_within_the_image(viewer, run):
    Run.objects.filter(pk=run.pk).update(name="w" * 120)
    shown = picture(run, cycle=1)
    assert shown.width == WIDTH
    assert len(shown.lines) <= MOST_LINES + 1
    assert shown.lines[-1].y < shown.height


def test_a_story_is_no_image(viewer, run):
    assert viewer.get(reverse("debugger:story_note", args=["team", run.number, "svg"]), {"cycle": 1}).status_code == 404


def test_the_menu_offers_it_and_without_scripts_it_is_downloaded(look, run):
    page = look(run, cycle=1).content.decode()
    (link,) = [one for one in page.split("<a") if "data-copy-image" in one.partition(">")[0]]
    address = reverse("debugger:decision_note", args=["team", run.number, "svg"])
    assert f'href="{address}?cycle=1"' in link
    assert " download" in link.partition(">")[0].replace("\n", " ")
