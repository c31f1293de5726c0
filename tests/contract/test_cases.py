"""Small cases with the right answer beside them: what becomes of their pods, and what is said of those that wait."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from scheduler_core.__main__ import main
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.sessions import at_cycle, at_seq
from scheduler_core.manifests import load_cluster
from scheduler_core.manifests.model import ManifestSource
from scheduler_core.profiles.presets import find_preset
from scheduler_core.simulate import RunInputs, run_epoch, timeline_from_raw
from tests.scheduler_core.crowded import pod_of, recorded

CASES = Path(__file__).parents[1] / "cases"


def run(name, timeline="", **fields):
    """(reader, inputs) of the case's run, and where its pods are in the end."""
    objects = load_cluster([ManifestSource(name, (CASES / name).read_bytes())]).objects
    if timeline:
        entries = timeline_from_raw(yaml.safe_load((CASES / timeline).read_text()))
        fields |= {"schedule": "timeline", "timeline": entries}
    inputs = RunInputs(objects=objects, **fields)
    reader = recorded(inputs)
    state = reader.state_at(reader.head_seq())
    return reader, inputs, {key: placement.node for key, placement in state.placements.items()}, state


def test_a_terminating_pod_leaves_and_the_pod_that_waited_is_bound():
    reader, inputs, placements, _ = run("terminating.yaml")
    assert placements == {"default/new": "a"}
    bound = reader.event(reader.cycle_span(reader.last_cycle())[0])
    (old,) = [pod for pod in inputs.objects.pods if pod.name == "old"]
    assert run_epoch(inputs) + bound.at / 1e6 == old.deletion_timestamp


def test_preempted_replicas_are_made_anew_and_wait():
    reader, inputs, placements, state = run("deployment.yaml", "deployment-timeline.yaml")
    assert placements == {"default/hi": "a"}
    assert len(state.queue) == 2
    trials = at_seq(reader, inputs, reader.head_seq())
    for key in state.queue:
        changes = {(one.code, one.edits[0].subject, one.edits[0].after) for one in remedies(trials, key).verified}
        assert {
            ("GROW_NODE", "cpu", "1 cpu"),
            ("EVICT_POD", "default/hi", "gone"),
            ("ADD_NODE_LIKE", "a", "a-more"),
        } <= changes


def test_pods_of_a_lost_node_are_made_anew_and_find_no_node():
    _, _, placements, state = run("deployment.yaml", "node-lost-timeline.yaml")
    assert placements == {}
    assert len(state.queue) == 2


def test_a_promised_node_is_no_help_by_what_leaves_it_alone():
    reader, inputs, _, _ = run("nominated.yaml", "nominated-timeline.yaml")
    assert pod_of(reader, 2) == "default/mid"
    tried = remedies(at_cycle(reader, inputs, 2), "default/mid")
    of_a = [(one.code, one.edits[0]) for one in tried.verified if one.nodes == ("a",)]
    assert [edit.after for code, edit in of_a if code == "GROW_NODE"] == ["5 cpu"]
    # two of the four low pods would do, if hi (3 cpu) were not promised the node
    assert all("default/hi" in edit.subject for code, edit in of_a if code == "EVICT_POD")


def test_the_smallest_change_comes_first():
    reader, inputs, _, _ = run("nominated.yaml", "nominated-timeline.yaml")
    assert pod_of(reader, 3) == "default/huge"
    bigger = [
        one for one in remedies(at_cycle(reader, inputs, 3), "default/huge").verified if one.kind == "bigger node"
    ]
    assert [one.nodes[0] for one in bigger] == ["a", "b", "aaa-tiny"]


def test_a_missing_claim_is_the_reason_and_making_it_the_remedy():
    reader, inputs, _, _ = run("missing-claim.yaml")
    cycle = next(n for n in range(1, reader.last_cycle() + 1) if pod_of(reader, n) == "default/db-0")
    tried = remedies(at_cycle(reader, inputs, cycle), "default/db-0")
    assert '"data-db-0" not found' in tried.failure
    assert {(one.code, one.edits[0].subject) for one in tried.verified} == {
        ("CREATE_CLAIM", "default/data-db-0"),
        ("DROP_VOLUME", "default/data-db-0"),
    }


@pytest.mark.parametrize(
    ("preset", "node"),
    [
        ("least-requested-alone-2017", "big"),
        ("most-requested-alone-2017", "small"),
        ("most-requested-2017", "big"),
    ],
)
def test_of_two_nodes_most_requested_alone_packs_and_with_balance_it_does_not(preset, node):
    _, _, placements, _ = run("two-nodes-seed-002.yaml", configuration=find_preset(preset).configuration())
    assert placements == {"default/p": node}


@pytest.mark.parametrize(
    ("arguments_text", "said"),
    [
        (
            "nominated.yaml --timeline nominated-timeline.yaml --pod default/mid --attempt 1",
            (
                "SHORT_CPU",
                "has 1 free",
                "default/low2, default/low3, default/hi",
                "by 5 cpu",
            ),
        ),
        (
            "nominated.yaml --timeline nominated-timeline.yaml --pod default/huge --attempt 1",
            ("TOO_LARGE", "has 4 allocatable", "by 8 cpu: ", "by 4 cpu"),
        ),
        (
            "terminating.yaml --pod default/new",
            ("at 00:00:29", "in attempt 2", "29 s later: "),
        ),
        (
            "missing-claim.yaml --pod default/db-0",
            ('persistentvolumeclaim "data-db-0" not found', "claim default/data-db-0"),
        ),
        ("two-nodes-seed-002.yaml --preset most-requested-2017 --pod default/p", ("placed on big",)),
    ],
)
def test_the_command_why_says_the_right_answer(arguments_text, said, capsys):
    files = {"nominated.yaml", "nominated-timeline.yaml", "terminating.yaml", "missing-claim.yaml"}
    files.add("two-nodes-seed-002.yaml")
    arguments = [str(CASES / word) if word in files else word for word in arguments_text.split()]
    assert main(["why", *arguments]) == 0
    output = capsys.readouterr().out
    for sentence in said:
        assert sentence in output


def test_pods_that_owners_made_anew_are_asked_about_by_their_names(capsys):
    case = [str(CASES / "deployment.yaml"), "--timeline", str(CASES / "deployment-timeline.yaml")]
    _, _, _, state = run("deployment.yaml", "deployment-timeline.yaml")
    for key in state.queue:
        assert main(["why", *case, "--pod", key]) == 0
        output = capsys.readouterr().out
        assert "SHORT_CPU, filter" in output
        assert "default/hi leave" in output


def test_the_configuration_of_a_plugin_that_is_installed_is_taken_by_every_command(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(CASES / "quiet-nodes-plugin"))
    config = str(CASES / "quiet-nodes-config.yaml")
    assert main(["validate", "--as", "config", config]) == 0
    assert capsys.readouterr().out == ""
    assert main(["why", str(CASES / "two-nodes-seed-002.yaml"), "--config", config, "--pod", "default/p"]) == 0
    assert "placed on" in capsys.readouterr().out
    assert main(["simulate", str(CASES / "two-nodes-seed-002.yaml"), "--config", config]) == 0
