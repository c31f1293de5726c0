"""Winner against runner-up, the funnel, and words."""

from __future__ import annotations

from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.labels import WAKES, listed, plural, seconds, wakes
from dashboard.debugger.page import CursorPage
from dashboard.runs import queries
from dashboard.runs.models import Cycle
from scheduler_core.profiles.registry import in_tree
from scheduler_core.recording.vocabulary import CRITERIA
from tests.dashboard.run_helpers import node, pod


def page_of(run, **query):
    """Return the page at a cursor."""
    return CursorPage(cursor_of(run, "team", {name: str(value) for name, value in query.items()}), wait=True)


def test_leads_add_up_to_the_margin(execute):
    nodes = [node("small", "2"), node("middle", "8"), node("large", "32")]
    run = execute([*nodes, *(pod(f"pod-{n}", "900m") for n in range(6))], slug="sizes", schedule="pending")
    for cycle in Cycle.objects.filter(run_id=run.pk):
        fall = page_of(run, cycle=cycle.number).waterfall
        assert sum(line.lead for line in fall.falls) == cycle.margin
        assert [one.node for one in fall.nodes] == [cycle.node, cycle.second_node]
        assert [one.total for one in fall.nodes] == [cycle.total, cycle.second_total]
        assert sum(line.bars[0].points for line in fall.falls) == cycle.total


def test_selected_node_joins_the_comparison(execute):
    run = execute([*(node(f"n-{i}") for i in range(4)), pod("one")], slug="four", schedule="pending")
    cycle = Cycle.objects.get(run_id=run.pk, number=1)
    other = next(f"n-{i}" for i in range(4) if f"n-{i}" not in (cycle.node, cycle.second_node))
    fall = page_of(run, cycle=1, node=other).waterfall
    assert [one.mark for one in fall.nodes] == ["win", "second", "pinned"]
    assert fall.n_ties == 4
    assert "4 nodes had the same total" in fall.sentence


def test_tie_is_not_decided_by_a_plugin(execute, look):
    """Without NodeAffinity the large node would have won, but among the four with the label the seed decided."""
    ssd = [{"weight": 100, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}]
    one = pod("one", "4", affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": ssd}})
    nodes = [*(node(f"n-{i}", disk="ssd") for i in range(4)), node("large", "64")]
    run = execute([*nodes, one], slug="tie", schedule="pending")
    page = page_of(run, cycle=1)
    assert page.cycle.is_tie
    assert (page.cycle.second, page.waterfall.others) == ("", 2)
    assert not any(line.decided for line in page.waterfall.falls)
    assert [card["words"] for card in page.lens] == ["winner", "same total"]
    html = look(run, cycle=1, tab="why").content.decode()
    assert "was drawn." in html
    assert "drawn among 4" in html
    for untrue in ("decided</div>", "runner-up", "and not"):
        assert untrue not in html
    decided = {score.plugin for score in page.cycle.scored.plugins if score.decided}
    assert decided == {"NodeAffinity"}
    assert not queries.CycleFilter(decided=decided.pop()).apply(run).exists()


def test_runner_up_is_named_with_its_equals(execute, look):
    nodes = [node("large", "64"), *(node(f"n-{i}", "8") for i in range(3))]
    run = execute([*nodes, pod("one", "4")], slug="equals", schedule="pending")
    page = page_of(run, cycle=1)
    assert (page.cycle.winner, page.waterfall.others) == ("large", 2)
    assert "or 2 others with its total" in look(run, cycle=1, tab="why").content.decode()


def test_single_node_is_not_compared(execute):
    run = execute([node("only"), pod("one")], slug="one", schedule="pending")
    page = page_of(run, cycle=1)
    assert page.waterfall is None
    assert page.cycle.winner == "only"


def test_refusals_of_the_scene(run, cycle_of):
    found = page_of(run, cycle=cycle_of("never-0").number).refusals
    # 64 cpu are more than any node has at all, which no event mends.
    assert (found.may_change, found.unresolvable, found.feasible) == (0, 3, 0)
    assert sum(lack.group.count for lack in found.groups) == 3
    assert len(found.band) == 3
    fit = next(lack for lack in found.groups if lack.group.plugin == "NodeResourcesFit")
    assert fit.short.startswith("short by ")


def test_preemption_s_candidates_fall_where_the_steps_say(run, cycle_of):
    theatre = page_of(run, cycle=cycle_of("big-0").number).theatre
    event = theatre.event
    assert theatre.chosen.node == event.nominated_node
    for step in event.steps:
        number = CRITERIA.index(step.criterion) + 1
        fallen = sum(1 for one in theatre.candidates if one.out == number)
        assert fallen == step.before - step.after
    assert [step.number for step in theatre.steps if step.decided]
    assert theatre.chosen.sum == theatre.chosen.highest == 10


def test_a_candidate_names_the_step_that_ruled_it_out(execute):
    """The second criterion, the highest priority among the victims, drops the node of the more important victim."""
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in (("high", 1000), ("middle", 50), ("low", 10))
    ]
    bound = [
        pod(f"fill-{name}", "3", nodeName=f"full-{name}", priorityClassName=name) | {"status": {"phase": "Running"}}
        for name in ("middle", "low")
    ]
    nodes = [node(f"full-{name}", "4") for name in ("middle", "low")]
    run = execute(
        [*classes, *nodes, *bound, pod("big", "2", priorityClassName="high")], slug="steps", schedule="pending"
    )
    theatre = page_of(run, cycle=1).theatre
    assert {one.node: one.out for one in theatre.candidates} == {"full-low": 0, "full-middle": 2}
    assert [(step.number, step.drops) for step in theatre.steps if step.used] == [(1, 0), (2, 1)]


def test_spans_and_lists_read_well():
    assert [seconds(n) for n in (0, 5_000, 600_000, 1_400_000, 64_000_000, 7_500_000_000)] == [
        "0 s",
        "5 ms",
        "0.6 s",
        "1.4 s",
        "1 min 4 s",
        "2 h 5 min",
    ]
    assert [listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert plural(1500, "node") == "1,500 nodes"


def test_every_plugin_that_can_refuse_has_words_for_what_wakes_its_pods():
    refusing = {name for name, plugin in in_tree().factories.items() if hasattr(plugin, "events_to_register")}
    assert refusing <= set(WAKES)
    assert wakes(("Unheard",)) == "the events that the plugin registered for"
    assert wakes(("NodePorts", "NodeResourcesFit")).count("Pod delete") == 1


def test_drawn_node_is_among_its_equals_however_many_there_are(execute):
    run = execute([*(node(f"n-{i:02d}") for i in range(12)), *(pod(f"p-{i}", "1") for i in range(4))], slug="ties")
    for cycle in Cycle.objects.filter(run_id=run.pk, tie_count__gt=1):
        fall = page_of(run, cycle=cycle.number).waterfall
        assert fall.ties[0] == cycle.node
        assert fall.ties[1:] == sorted(fall.ties[1:])
        assert len(fall.ties) == min(cycle.tie_count, 8)
    assert Cycle.objects.filter(run_id=run.pk, tie_count__gt=8).exists()
