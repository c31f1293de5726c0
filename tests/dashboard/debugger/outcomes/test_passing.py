"""The filters of the page: each alone, and by time against the lengths of the queue that were sampled."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dashboard.debugger.outcomes.address import OutcomesView
from dashboard.debugger.outcomes.export import as_csv
from dashboard.debugger.outcomes.passing import passing, waited_in, waited_text
from dashboard.debugger.outcomes.table import OutcomesTable
from tests.scheduler_core.engine.scenarios import teaching
from tests.scheduler_core.explain.outcomes.runs import summed_up


@pytest.fixture(scope="module")
def taught():
    return summed_up(teaching())


def waiting(outcomes, start, end):
    return [pod.pod for pod in passing(outcomes, OutcomesView("team", 1, waited=(start, end)))]


def test_without_filters_all_pods_pass(taught):
    assert passing(taught, OutcomesView("team", 1)) is taught.pods


def test_every_pod_in_the_queue_at_a_sample_waited_then(taught):
    series = taught.series
    for i, at in enumerate(series.at):
        assert len(waiting(taught, at, at)) >= sum(lane[i] for lane in series.lanes.values())


def test_the_spans_of_a_partition_have_all_pods_that_came_to_the_queue(taught):
    at = taught.series.at
    of_spans = {pod for span in pairwise(at) for pod in waiting(taught, *span)}
    assert of_spans == {pod.pod for pod in taught.pods if pod.came >= 0} == set(waiting(taught, at[0], at[-1]))


def test_a_pod_passes_from_its_arrival_until_it_is_bound(taught):
    pod = next(one for one in taught.pods if one.wait > 1 and not one.still_waits)
    end = pod.came + pod.wait
    spans = [(pod.came - 9, pod.came - 1), (0, pod.came), (pod.came + 1, end - 1), (end, end + 9), (end + 1, end + 9)]
    assert [waited_in(pod, *span) for span in spans] == [False, True, True, True, False]


def test_exports_list_the_pods_of_the_span_alone(taught):
    first = min(pod.came for pod in taught.pods if pod.came >= 0)
    view = OutcomesView("team", 1, waited=(0, first))
    lines = as_csv(OutcomesTable(taught, view, True)).splitlines()[1:]
    assert [line.split(",")[1] for line in lines] == [pod.partition("/")[2] for pod in waiting(taught, 0, first)]
    assert 0 < len(lines) < len(taught.pods)


def test_words():
    assert waited_text(OutcomesView("team", 1)) == ""
    view = OutcomesView("team", 1, waited=(1_500_000, 2_000_000))
    assert waited_text(view) == "waited at some moment from 00:00:01.500 to 00:00:02.000"
