"""The page of a synthetic cluster, with and without scripts."""

from __future__ import annotations

import re

import pytest

from dashboard.clusters.models import Cluster, Draft
from dashboard.documents.models import Timeline
from tests.dashboard.helpers import assert_strict_csp

URL = "/w/team/generate/"
MAKE = "/w/team/generate/make"
TEXT = """\
pools:
- {name: gen, nodes: 3, shape: m5.xlarge}  # ours
workloads:
- {name: come, pods: 4, sizes: {cpu: 1}}
arrivals: {process: poisson, over: 1m}
"""


def test_the_page_shows_form_text_and_preview(editor):
    html = editor.get(URL).content.decode()
    assert_strict_csp(html)
    assert 'name="pools.0.name"' in html
    assert "# " not in html.partition("<textarea")[0]
    assert "Requested at once" in html
    for recipe in ("gpu", "perf"):
        assert_strict_csp(editor.get(f"{URL}?recipe={recipe}").content)
    assert editor.get(f"{URL}?recipe=none").status_code == 400


def test_an_edit_of_the_form_shows_in_text_and_preview(editor):
    data = {"text": TEXT, "shown": TEXT, "pools.0.nodes": "7"}
    html = editor.post(URL, data).content.decode()
    assert "nodes: 7, " in html
    assert "7 nodes, 0" in re.sub(r"\s+", " ", html)
    part = editor.post(URL, {**data, "do": "add:pools"}, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert 'name="pools.1.name"' in part


def test_errors_are_shown_at_their_line_and_the_text_stays(editor):
    wrong = TEXT.replace("m5.xlarge", "m5.xlage")
    html = editor.post(URL, {"text": wrong, "shown": wrong}).content.decode()
    assert "Line 2" in html
    assert "m5.xlarge?" in html
    assert "m5.xlage" in html
    assert re.search(r'name="pools.0.shape"\s+aria-invalid="true" aria-describedby="bad-pools-0-shape"', html)
    assert 'id="bad-pools-0-shape"' in html
    broken = editor.post(URL, {"text": "a: b: c", "shown": TEXT}).content.decode()
    assert "can be read" in broken
    assert "a: b: c" in broken


def test_hostile_texts_are_shown_as_text(editor):
    text = "pools:\n- {name: '<script>x</script>', nodes: 1, shape: '\"><b>'}\n"
    html = editor.post(URL, {"text": text, "shown": text}).content.decode()
    assert "<script>x" not in html
    assert "<b>'}" not in html
    for odd in ("pools: [[[[", "pools: " + "[" * 5_000, "\0", "pools: &a [*a]", "x" * 300_000):
        assert editor.post(URL, {"text": odd, "shown": odd}).status_code in (200, 400)


def test_making_leads_to_the_new_cluster_and_twice_makes_one(editor):
    token = re.search(r'name="once" value="([^"]+)"', editor.get(URL).content.decode())[1]
    data = {"text": TEXT, "shown": TEXT, "name": "synthetic", "once": token}
    first = editor.post(MAKE, data)
    assert first["Location"] == "/w/team/clusters/synthetic/"
    assert editor.post(MAKE, data)["Location"] == first["Location"]
    assert Cluster.objects.filter(name="synthetic").count() == 1
    after = editor.get(first["Location"]).content.decode()
    assert "4 entries in the timeline &quot;synthetic arrivals&quot;" in after
    assert 'href="/w/team/timelines/synthetic-arrivals/"' in after


def test_making_takes_what_was_typed_a_moment_before(editor):
    editor.post(MAKE, {"text": TEXT, "shown": TEXT, "pools.0.nodes": "9", "name": "quick"})
    assert Cluster.objects.get(name="quick").revisions.get().counts["Node"] == 9


def test_making_into_a_cluster_leads_to_a_draft(editor, cluster):
    response = editor.post(MAKE, {"text": TEXT, "shown": TEXT, "into": cluster.slug})
    draft = Draft.objects.get()
    assert response["Location"] == f"/w/team/clusters/{cluster.slug}/drafts/{draft.pk}/"
    assert "gen-0" in editor.get(response["Location"]).content.decode()


def test_what_cannot_be_made_keeps_the_text_and_says_why(editor, cluster):
    for change, reason in (
        ({"name": ""}, "Give the cluster a name"),
        ({"name": cluster.name}, "exists"),
        ({"text": "pools: [{name: a}]", "shown": ""}, "The description has errors"),
    ):
        response = editor.post(MAKE, {"text": TEXT, "shown": TEXT, "name": "x", **change})
        assert response.status_code == 422
        assert reason in response.content.decode()
    named = editor.post(MAKE, {"text": TEXT, "shown": TEXT, "name": ""}, headers={"HX-Request": "true"})
    assert named.status_code == 400
    assert "Give%20the%20cluster" in named["X-Problem"]


def test_pages_lead_to_it(editor, cluster):
    for page in ("/w/team/clusters/new/", "/w/team/clusters/"):
        assert f'href="{URL}' in editor.get(page).content.decode()


def test_the_guide_of_descriptions_is_one_of_its_own(editor):
    guide = editor.get("/w/team/generate/fields").json()
    assert set(guide["documents"]) == {"Description"}
    assert "poisson" in guide["parts"]["DescribedArrivals"]["process"]["choices"]
    assert guide["parts"]["Taint"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"text": TEXT, "shown": TEXT}, "Requested at once, of allocatable"),
        ({"text": "a: b: c", "shown": TEXT}, "once its YAML can be read"),
    ],
)
def test_words(editor, data, sentence):
    assert sentence in editor.post(URL, data).content.decode()


def test_the_page_of_a_generated_cluster_leads_to_the_pods_that_come_and_to_their_run(editor):
    editor.post(MAKE, {"text": TEXT, "name": "synthetic"})
    page = editor.get("/w/team/clusters/synthetic/")
    arriving = page.context["arriving"]
    assert (arriving.n_pods, arriving.name) == (4, "synthetic arrivals")
    html = page.content.decode()
    assert arriving.url in html
    form = editor.get(arriving.run_url).context["form"]
    assert (form.chosen_cluster.slug, form.chosen_timeline.slug) == ("synthetic", "synthetic-arrivals")
    Timeline.objects.all().delete()
    assert editor.get("/w/team/clusters/synthetic/").context["arriving"] is None


def test_pods_that_are_here_already_are_no_arrivals_of_other_clusters(editor, cluster):
    assert editor.get("/w/team/clusters/prod/").context["arriving"] is None
