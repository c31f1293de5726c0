"""Arrivals and ends of runs as entries of a timeline."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dashboard.common.problems import Problem
from dashboard.documents.actions import NewText
from dashboard.documents.timelines.actions import save_timeline
from dashboard.documents.timelines.arrivals.rows import arrival_rows
from dashboard.runs import execution
from dashboard.runs.actions import find_run
from dashboard.runs.models import State
from dashboard.runs.observing import reading
from dashboard.runs.observing.reading import ObservedPart, observed_arrivals
from scheduler_core.simulate import timeline_from_raw
from tests.dashboard.runs.keeping.conftest import ANOTHER_POD, deletion
from tests.dashboard.runs.keeping.conftest import branch as branch
from tests.dashboard.runs.keeping.conftest import configuration as configuration
from tests.dashboard.runs.keeping.conftest import following as following
from tests.dashboard.runs.keeping.conftest import timeline as timeline

pytestmark = pytest.mark.django_db
CASES = Path(__file__).parents[3] / "scheduler_core" / "engine" / "cases"


def lines(arrivals):
    """Return "time action name" of entries, in order."""
    return [f"{row.at / 1e6:g} {row.action} {row.key.name}" for row in arrival_rows(arrivals.entries)]


def test_a_run_of_a_timeline_gives_the_timeline_back(following, timeline):
    arrivals = observed_arrivals(following, ObservedPart())
    assert lines(arrivals) == ["1 add arrives", "2 add bought", "2 add follows", "30 delete arrives"]
    assert [one["object"]["kind"] for one in arrivals.entries] == ["Pod", "Node", "Pod", "Pod"]
    assert arrivals.left_out == {}
    timeline_from_raw({"entries": arrivals.entries})


def test_an_interval_begins_at_0(following):
    arrivals = observed_arrivals(following, ObservedPart(1_500_000, 30_000_000))
    assert lines(arrivals) == ["0.5 add bought", "0.5 add follows"]
    assert lines(observed_arrivals(following, ObservedPart(3_000_000))) == ["27 delete arrives"]
    ends = observed_arrivals(following, ObservedPart(3_000_000, ends="none"))
    assert (ends.entries, sum(ends.left_out.values())) == ([], 1)
    assert observed_arrivals(following, ObservedPart(10**12)).entries == []


def test_pods_that_waited_come_at_the_start_where_that_is_asked(following):
    arrivals = observed_arrivals(following, ObservedPart(waiting=True))
    assert lines(arrivals)[:6] == [f"0 add first-{n}" for n in range(6)]
    assert lines(observed_arrivals(following, ObservedPart(1, waiting=True)))[0].endswith("arrives")


def test_what_people_changed_is_among_it(following, branch):
    made = branch(following, ANOTHER_POD, deletion("Pod", "first-0"))
    came = lines(observed_arrivals(made, ObservedPart()))
    assert any(line.endswith("add late") for line in came)
    assert any(line.endswith("delete first-0") for line in came)


def test_what_was_evicted_ends_on_request_alone(run):
    quiet = observed_arrivals(run, ObservedPart())
    assert quiet.entries == []
    assert list(quiet.left_out.values()) == [2]
    # They were bound at the start, so nothing that the timeline has could be deleted.
    loud = observed_arrivals(run, ObservedPart(ends="all"))
    assert list(loud.left_out.values()) == [2]
    assert loud.left_out.keys() != quiet.left_out.keys()


@pytest.fixture
def everything(launch, save, editor):
    """A finished run in which owners make pods anew, Jobs complete and a node goes."""
    revision = save(list(yaml.safe_load_all((CASES / "everything.yaml").read_text())))
    text = NewText("all that happens", (CASES / "everything-timeline.yaml").read_text())
    timeline = save_timeline(editor.member, None, text, revision)
    made = launch(revision=revision, timeline=timeline, schedule="timeline", seed=3)
    while execution.work():
        pass
    made = find_run(made.workspace, made.number)
    assert made.state == State.FINISHED, made.error
    return made


@pytest.mark.slow
def test_pods_that_workloads_made_come_as_single_pods_on_request(everything):
    quiet = observed_arrivals(everything, ObservedPart())
    loud = observed_arrivals(everything, ObservedPart(made=True, ends="all"))
    n_made = quiet.left_out["made by workloads of the cluster during the run"]
    adds = [one["object"]["metadata"] for one in loud.entries if one["action"] == "add"]
    assert len(adds) == n_made + sum(one["action"] == "add" for one in quiet.entries)
    assert n_made > 0
    written = {one["object"]["metadata"]["name"] for one in quiet.entries}
    assert all("ownerReferences" not in one and "uid" not in one for one in adds if one["name"] not in written)
    deletions = [sum(one["action"] == "delete" for one in part.entries) for part in (quiet, loud)]
    assert deletions[0] < deletions[1]
    timeline_from_raw({"entries": loud.entries})


@pytest.mark.parametrize(
    ("limit", "number", "sentence"),
    [
        ("MAX_TIMELINE_ENTRIES", 2, "More than 2 entries are in this interval"),
        ("MOST_EVENTS", 5, "more than the 5 that are read at once"),
    ],
)
def test_what_is_too_much_is_refused(following, monkeypatch, limit, number, sentence):
    monkeypatch.setattr(reading, limit, number)
    with pytest.raises(Problem, match=sentence):
        observed_arrivals(following, ObservedPart())


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        (ObservedPart(), "ended by the engine: completed, evicted or removed"),
        (ObservedPart(ends="all"), "ended by the engine that arrived before"),
    ],
)
def test_words(run, part, sentence):
    assert list(observed_arrivals(run, part).left_out) == [sentence]
