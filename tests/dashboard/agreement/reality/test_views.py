"""The page of reality: computed by a worker, by class, one decision, and the run from the beginning."""

from __future__ import annotations

import pytest

from dashboard.agreement.models import RealityResult
from dashboard.agreement.reality import computing
from dashboard.runs.models import Run
from scheduler_core.explain.reality import FREE_RUN
from tests.dashboard.agreement.reality.conftest import PAGE, bundle_bytes, moved, small
from tests.dashboard.helpers import strict_html
from tests.seeds import long_after


def page_of(person, query=""):
    """Return what the page shows of the comparison."""
    response = person.get(f"{PAGE}{query}")
    strict_html(response)
    return response.context["shown"]


def test_a_cluster_without_a_bundle_says_so(editor, save):
    save([])
    assert "No bundle of this cluster is kept" in strict_html(editor.get("/w/team/clusters/prod/agreement/reality"))


@pytest.mark.slow
def test_a_worker_is_asked_once_and_all_agree_with_the_history(imported, editor, viewer, woken):
    imported()
    assert editor.get(PAGE).context.get("shown") is None
    viewer.get(PAGE)
    assert woken.count(computing.TASK) == 1
    assert computing.work()
    assert not computing.work()
    figures = page_of(viewer).figures
    assert figures.counted("binding") == len(small().bindings)
    assert figures.counted("binding", "agree", "chance") == len(small().bindings)
    assert not figures.causes


@pytest.mark.slow
def test_a_moved_binding_differs_and_is_selected_first(imported, editor, woken):
    imported(bundle_bytes(moved(small())))
    editor.get(PAGE)
    assert computing.work()
    shown = page_of(editor)
    pod, node = small().bindings[3]
    assert next(one for one in shown.shown if one.pod == pod and one.what == "binding").node != node
    assert shown.selected == shown.differing[0]
    assert [row.title for row in shown.causes] == [
        "Version", "Configuration", "Missing kind", "Chance", "Order of arrivals", "Gap",
    ]  # fmt: skip
    assert shown.place == 1
    assert [one.number for one in page_of(editor, "?show=differ").shown] == [one.number for one in shown.differing]


@pytest.mark.parametrize(
    "query", long_after(["?show=same", "?d=2", "?show=best", "?show=apart", "?show=messages", "?fold=no"], 2)
)
def test_each_choice_is_a_page(compared, editor, query):
    shown = page_of(editor, query)
    assert shown.figures.counted("binding") == len(small().bindings)
    if query == "?show=same":
        assert {one.verdict for one in shown.shown} <= {"agree"}
    if query == "?d=2":
        assert shown.selected.number == 2


def test_the_strip_shows_half_the_time_and_twice(compared, editor):
    whole, half = page_of(editor, "?d=7"), page_of(editor, "?d=7&zoom=1")
    assert (whole.zoom_out, whole.zoom_in == half.url(zoom=1)) == ("", True)
    assert len(half.strip.squares) < len(whole.strip.squares)
    assert 0 < half.strip.cursor < half.strip.width
    assert "zoom" not in half.zoom_out
    assert page_of(editor, "?zoom=12").zoom_in == ""


def test_agreeing_decisions_are_folded_and_the_fold_opens(compared, editor):
    folded = page_of(editor)
    assert len(folded.rows) < len(folded.shown)
    assert len(page_of(editor, "?fold=no").rows) == len(folded.shown)


def test_the_run_from_the_beginning_is_started_once_with_the_timeline(compared, editor, viewer):
    assert viewer.post(f"{PAGE}/run").status_code == 403
    first, second = editor.post(f"{PAGE}/run"), editor.post(f"{PAGE}/run")
    run = Run.objects.get()
    assert first["Location"] == second["Location"]
    assert run.timeline_revision == compared.timeline
    assert run.revision == compared.began
    assert {name: run.policies[name] for name in FREE_RUN} == FREE_RUN
    assert page_of(editor).run == run


def test_everything_is_compared_again_on_demand(compared, editor, viewer):
    assert viewer.post(f"{PAGE}/again").status_code == 403
    assert editor.post(f"{PAGE}/again")["Location"] == PAGE
    assert RealityResult.objects.get().data is None
    assert computing.work()
    assert page_of(editor) is not None


def test_the_run_of_a_bundle_has_a_tab_that_leads_to_its_page(compared, editor):
    editor.post(f"{PAGE}/run")
    run = Run.objects.get()
    page = strict_html(editor.get(f"/w/team/runs/{run.number}/"))
    assert f'href="{PAGE}?bundle={compared.pk}"' in page
    assert editor.get(f"{PAGE}?bundle={compared.pk}").context["bundle"] == compared
    assert editor.get(f"{PAGE}?bundle=999999").status_code == 404
