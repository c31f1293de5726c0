"""The view model of a report: parts, selection, pages of thousands of pods, links of what follows."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.clusters.revisions.page_context import PageContext
from dashboard.upgrade import computing, report_page
from dashboard.upgrade.queries import report_in
from dashboard.upgrade.report_page import ReportPage


@pytest.fixture
def made(ask):
    """Make the page of a report with these fields changed, by a query."""
    row = ask(seed=1)
    computing.work()
    row.refresh_from_db()
    report = report_in(row)

    def make(query=None, **fields):
        here = PageContext(None, row.revision.cluster, row.revision)
        return ReportPage(here, row, msgspec.structs.replace(report, **fields), query or {})

    return make


def thousands(page, n=2_500):
    """As many pods: the first decided by a behaviour, the others following it, one not tried."""
    (first,) = page.report.pods
    pods = [first]
    for number in range(2, n + 1):
        decided = msgspec.structs.replace(first.a, cycle=number)
        reason = "not tried" if number == n else "follows"
        root = first.a.cycle if reason == "follows" else 0
        pods.append(
            msgspec.structs.replace(first, pod=f"shop/p-{number}", a=decided, reason=reason, by=(), follows=root)
        )
    return tuple(pods)


def test_parts_are_what_behaviours_do_here_and_the_first_is_selected(made):
    page = made()
    parts = {title: [row.one.name for row in rows] for title, rows in page.parts}
    assert parts["Decides here"] == ["image_volumes_count"]
    assert "balance_by_change" in parts["Decides nothing here"]
    assert page.show == "image_volumes_count"
    assert page.next_url
    assert not page.previous_url
    (waits,) = [name for name in parts["Decides nothing here"] if name == "affinity_hints_see_more"]
    behaviours = tuple(
        msgspec.structs.replace(one, n_pods=2) if one.name == waits else one for one in page.report.behaviours
    )
    assert [row.one.name for row in dict(made(behaviours=behaviours).parts)["Changes waits alone"]] == [waits]


def test_thousands_of_pods_are_paged_and_what_follows_leads_to_its_row(made):
    pods = thousands(made())
    page = made({"show": "all"}, pods=pods, n_untried=1)
    assert (len(page.decisions.items), page.decisions.total) == (report_page.DECISIONS_SHOWN, 2_500)
    follows = page.decisions.items[1]
    assert follows.follows_url.endswith(f"?show=all&cycle={pods[0].a.cycle}#c-{pods[0].a.cycle}")
    far = made({"show": "all", "cycle": "2042"}, pods=pods).decisions
    assert [row.cycle for row in far.items if row.is_marked] == [2042]
    assert far.number == 21
    assert [(one.name, one.n) for one in page.choices] == [("all", 2_500), ("follows", 2_498), ("not tried", 1)]
    assert [row.why for row in made({"show": "not tried"}, pods=pods).decisions.items] == ["not tried"]
    assert "1 first difference was not tried" in page.limits


def test_old_and_new_texts_stand_together_with_what_differs_and_what_is_lost(made):
    (row,) = made().texts
    assert (row.old.head, row.old.middle, row.old.tail) == ("node(s) had untolerated taint", " {<taint>}", "")
    assert row.new.middle == "(s)"
    assert (row.n_old, row.n_new, row.lost) == (2, 2, "node(s) had untolerated taint {")


def test_figures_are_those_of_the_report_and_fields_are_counted_also_where_none_is(made):
    page = made()
    assert page.tiles[0].value == str(page.figures.moved) == "1"
    assert [what for what, _, _ in page.configuration] == ["removed", "other default", "new"]
    assert page.configuration[0][2] == []
    assert {one.n_objects for one in page.object_fields} >= {0, 1}
