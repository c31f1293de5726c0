"""Winner against runner-up."""

from __future__ import annotations

from dashboard.query.rows import cycles_matching
from dashboard.runs.models import Cycle
from scheduler_core.query import parse
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.run_helpers import node, pod


def test_leads_add_up_to_the_margin(execute):
    nodes = [node("small", "2"), node("middle", "8"), node("large", "32")]
    run = execute([*nodes, *(pod(f"pod-{n}", "900m") for n in range(6))], slug="sizes", schedule="pending")
    for cycle in Cycle.objects.filter(run_id=run.pk):
        fall = page_of(run, cycle=cycle.number).attempt.waterfall
        assert sum(line.lead for line in fall.falls) == cycle.margin
        assert [one.node for one in fall.nodes] == [cycle.node, cycle.second_node]
        assert [one.total for one in fall.nodes] == [cycle.total, cycle.second_total]
        assert sum(line.bars[0].points for line in fall.falls) == cycle.total


def test_selected_node_joins_the_comparison(execute):
    run = execute([*(node(f"n-{i}") for i in range(4)), pod("one")], slug="four", schedule="pending")
    cycle = Cycle.objects.get(run_id=run.pk, number=1)
    other = next(f"n-{i}" for i in range(4) if f"n-{i}" not in (cycle.node, cycle.second_node))
    fall = page_of(run, cycle=1, node=other).attempt.waterfall
    assert [one.mark for one in fall.nodes] == ["win", "second", "pinned"]
    assert fall.n_ties == 4
    assert fall.sentence.startswith("4 nodes")


def test_tie_is_not_decided_by_a_plugin(execute, look):
    """Without NodeAffinity the large node would have won, but among the four with the label the seed decided."""
    ssd = [{"weight": 100, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}]
    one = pod("one", "4", affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": ssd}})
    nodes = [*(node(f"n-{i}", disk="ssd") for i in range(4)), node("large", "64")]
    run = execute([*nodes, one], slug="tie", schedule="pending")
    page = page_of(run, cycle=1)
    assert page.attempt.cycle.is_tie
    assert (page.attempt.cycle.second, page.attempt.waterfall.others) == ("", 2)
    assert not any(line.decided for line in page.attempt.waterfall.falls)
    assert (page.map.node_card.name, page.map.node_card.label) == (page.attempt.cycle.winner, "drawn")
    html = look(run, cycle=1, tab="why").content.decode()
    assert "among 4 nodes" in html
    assert "drawn from 4" in html
    assert page.attempt.waterfall.behind.node == "large"
    assert "is-key" not in html
    for untrue in ("decided</span>", "runner-up", "and not"):
        assert untrue not in html
    decided = {score.plugin for score in page.attempt.cycle.scored.plugins if score.decided}
    assert decided == {"NodeAffinity"}
    assert not cycles_matching(run, parse("decided_by:NodeAffinity")).exists()


def test_runner_up_is_named_with_its_equals(execute, look):
    nodes = [node("large", "64"), *(node(f"n-{i}", "8") for i in range(3))]
    run = execute([*nodes, pod("one", "4")], slug="equals", schedule="pending")
    page = page_of(run, cycle=1)
    assert (page.attempt.cycle.winner, page.attempt.waterfall.others) == ("large", 2)
    assert "or 2 others" in look(run, cycle=1, tab="why").content.decode()


def test_single_node_is_not_compared(execute):
    run = execute([node("only"), pod("one")], slug="one", schedule="pending")
    page = page_of(run, cycle=1)
    assert page.attempt.waterfall is None
    assert page.attempt.cycle.winner == "only"


def test_drawn_node_is_among_its_equals_however_many_there_are(execute):
    run = execute([*(node(f"n-{i:02d}") for i in range(12)), *(pod(f"p-{i}", "1") for i in range(4))], slug="ties")
    for cycle in Cycle.objects.filter(run_id=run.pk, tie_count__gt=1):
        fall = page_of(run, cycle=cycle.number).attempt.waterfall
        assert [one.node for one in fall.draws if one.is_drawn] == [cycle.node]
        assert [one.index for one in fall.draws[:8]] == list(range(min(cycle.tie_count, 8)))
        assert [one.node for one in fall.draws] == sorted(one.node for one in fall.draws)
        assert len(fall.draws) in (min(cycle.tie_count, 8), 9)
    assert Cycle.objects.filter(run_id=run.pk, tie_count__gt=8).exists()


def test_where_all_nodes_are_equal_none_is_behind(execute):
    run = execute([*(node(f"n-{i}") for i in range(3)), pod("one")], slug="alike", schedule="pending")
    fall = page_of(run, cycle=1).attempt.waterfall
    assert fall.is_tie
    assert fall.behind is None


def test_words(execute, look):
    run = execute([*(node(f"n-{i}") for i in range(4)), pod("one")], slug="four", schedule="pending")
    assert "4 nodes had the same total" in page_of(run, cycle=1).attempt.waterfall.sentence
    nodes = [node("large", "64"), *(node(f"n-{i}", "8") for i in range(3))]
    run = execute([*nodes, pod("one", "4")], slug="equals", schedule="pending")
    assert "or 2 others with its total" in look(run, cycle=1, tab="why").content.decode()
