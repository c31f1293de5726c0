"""The rows of the table: sections, groupings, folding, filters, paging."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.debugger.outcomes.labels import Places
from dashboard.debugger.outcomes.rows import (
    DoneRow,
    DoubtRow,
    GroupRow,
    MissingRow,
    MoreRow,
    OutcomePodRow,
    SectionRow,
    SubRow,
)
from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.doubt import AnswerDoubt, NamedObjects
from scheduler_core.explain.outcomes import BOUND, PREEMPTED
from scheduler_core.explain.outcomes.model import PodOutcome
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import case, teaching
from tests.scheduler_core.explain.outcomes.runs import summed_up


def kinds(rows):
    return [type(row) for row in rows]


@pytest.fixture(scope="module")
def taught():
    return summed_up(teaching())


@pytest.fixture(scope="module")
def crowded():
    """Fifteen reasons: a pod for each of fifteen gates, and thirty that are bound."""
    gated = [make_pod(f"gated-{i}", namespace=f"n{i}", scheduling_gates=(f"gate-{i}",)) for i in range(15)]
    bound = [make_pod(f"web-{i}") for i in range(30)]
    return summed_up(RunInputs(objects=ClusterObjects(nodes=[make_node("a")], pods=[*gated, *bound])))


def test_what_needs_a_look_comes_first_then_what_was_narrow_then_what_is_bound(taught, rows_of):
    titles = [row.title for row in rows_of(taught) if isinstance(row, SectionRow)]
    assert [title.partition(": ")[::2] for title in titles] == [
        ("Needs a look", "6 pods"),
        ("Worked, but narrow", ""),
        ("Bound", "27 pods"),
        ("Deleted", "1 pod"),
    ]


def test_a_reason_opens_to_owners_and_an_owner_to_pods(crowded, rows_of):
    group = next(row for row in rows_of(crowded) if isinstance(row, GroupRow))
    one = rows_of(crowded, open=(group.id,))
    sub = one[kinds(one).index(SubRow)]
    assert one[one.index(sub) - 1].is_open
    both = rows_of(crowded, open=(group.id, sub.id))
    pod = both[kinds(both).index(OutcomePodRow)]
    assert (pod.title, pod.namespace) == ("gated-0", "n0")
    assert len(both) == len(one) + 1


def test_opening_a_group_with_one_owner_opens_the_owner_as_well(crowded, rows_of):
    group = next(row for row in rows_of(crowded) if isinstance(row, GroupRow))
    assert group.toggle.count(group.id) == 2


def test_a_row_counts_the_other_plugins_that_refused_and_names_them(taught, rows_of):
    row = next(row for row in rows_of(taught) if isinstance(row, GroupRow) and row.more_plugins)
    group = next(group for group in taught.groups if group.id == row.id)
    assert (row.plugin, *row.more_plugins) == group.plugins
    assert row.plugins_title == f"refused by {', '.join(group.plugins)}"


@pytest.mark.parametrize("by", ["owner", "namespace"])
def test_owners_and_namespaces_show_what_is_scarce_for_their_commonest_reason(taught, rows_of, by):
    by_reason = {row.id: row for row in rows_of(taught) if isinstance(row, GroupRow)}
    seen = {(row.plugin, row.more_plugins, row.scarce) for row in rows_of(taught, by=by) if isinstance(row, GroupRow)}
    assert seen <= {(row.plugin, row.more_plugins, row.scarce) for row in by_reason.values()}
    assert any(plugin for plugin, _, _ in seen)


@pytest.mark.parametrize("by", ["owner", "namespace"])
def test_owners_and_namespaces_open_to_reasons(taught, rows_of, by):
    rows = rows_of(taught, by=by)
    top = next(row for row in rows if isinstance(row, GroupRow))
    opened = rows_of(taught, by=by, open=(top.id,))
    below = opened[[getattr(row, "id", "") for row in opened].index(top.id) + 1]
    assert isinstance(below, SubRow)
    assert below.id.startswith(f"{top.id}.")
    assert sum(row.pods for row in rows if isinstance(row, GroupRow)) == 6


def test_more_than_twelve_groups_are_twelve_and_how_many_more(crowded, rows_of):
    rows = rows_of(crowded)
    assert sum(isinstance(row, GroupRow) for row in rows) == 12
    more = next(row for row in rows if isinstance(row, MoreRow))
    assert (more.link, more.text) == ("3 more", ", 3 pods")
    assert sum(isinstance(row, GroupRow) for row in rows_of(crowded, all=True)) == 15


def test_pods_are_paged(crowded, rows_of):
    owner = next(row for row in rows_of(crowded) if isinstance(row, SubRow) and row.title == "default/web-*")
    rows = rows_of(crowded, open=(owner.id,))
    assert sum(isinstance(row, OutcomePodRow) for row in rows) == 12
    more = next(row for row in rows if isinstance(row, MoreRow) and row.level == 2)
    assert (more.link, more.text) == ("18 more", " of 18")
    assert sum(isinstance(row, OutcomePodRow) for row in rows_of(crowded, open=(owner.id,), n=112)) == 30


def test_the_filter_finds_pods_owners_and_reasons(crowded, rows_of):
    assert sum(isinstance(row, GroupRow) for row in rows_of(crowded, q="gated-7")) == 1
    assert sum(isinstance(row, GroupRow) for row in rows_of(crowded, q="GATE-14")) == 1
    assert rows_of(crowded, q="nobody") == []


def test_every_pod_bound_is_one_line_only_where_nothing_is_missing(rows_of):
    nodes, pods = [make_node("a")], [make_pod("web-0")]
    outcomes = summed_up(RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods)))
    assert DoneRow in kinds(rows_of(outcomes))
    assert DoneRow not in kinds(rows_of(outcomes, has_ended=False))
    outcomes.n_short, outcomes.short = 1, summed_up(case("deployment", "deployment-timeline")).short[:1]
    assert DoneRow not in kinds(rows_of(outcomes))


def test_pods_that_a_live_run_has_not_decided_are_under_way_and_need_no_look(rows_of):
    outcomes = summed_up(teaching(), 3)
    titles = [row.title for row in rows_of(outcomes, has_ended=False) if isinstance(row, SectionRow)]
    assert any(title.startswith("Under way: ") for title in titles)
    assert not any(title.startswith("Needs a look") for title in titles)


def test_workloads_that_lack_pods_are_listed(rows_of):
    outcomes = summed_up(case("deployment", "deployment-timeline"))
    missing = [row for row in rows_of(outcomes) if isinstance(row, MissingRow)]
    assert [(row.workload, row.lacking) for row in missing] == [
        (one.workload, one.desired - one.bound) for one in outcomes.short
    ]
    assert missing


def test_narrow_wins_name_the_closest_and_list_their_pods(taught, rows_of):
    rows = rows_of(taught, open=("margin",))
    narrow = next(row for row in rows if isinstance(row, SubRow) and row.id == "margin")
    closest = rows[rows.index(narrow) + 1]
    assert narrow.sub.endswith(f" is {closest.title}, {closest.third}")


def test_a_preempted_pod_leads_to_the_cycle_that_evicted_it_and_its_rivals_to_the_one_that_placed_it():
    places = Places("shop", 1, 99)
    mailer = PodOutcome("mail/mailer-1", 0, 0, 0, cycle=13, preempted_in=28)
    assert places.pod(mailer, PREEMPTED).endswith("?cycle=28&tab=preemption")
    assert places.rivals(mailer.cycle).endswith("?cycle=13")
    assert "cycle=13" in places.pod(mailer, BOUND), "it is bound again"


def test_what_is_not_played_stands_after_what_needs_a_look_or_that_nothing_does(taught, rows_of):
    quota = AnswerDoubt(
        code="NOT_PLAYED", objects=NamedObjects(1, ("v1/ResourceQuota/a/q",)), text="quota q is not played"
    )
    whole = summed_up(RunInputs(objects=ClusterObjects(nodes=[make_node("a")], pods=[make_pod("p")])))
    for outcomes, is_done in ((taught, False), (whole, True)):
        rows = rows_of(msgspec.structs.replace(outcomes, doubts=(quota,)))
        (at,) = [i for i, row in enumerate(rows) if isinstance(row, DoubtRow)]
        assert rows[at].doubt == quota
        assert isinstance(rows[at - 1], SectionRow)
        assert isinstance(rows[0], DoneRow) == is_done
