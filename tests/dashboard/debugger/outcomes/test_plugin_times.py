"""What plugins cost and where they failed, on the outcomes page."""

from __future__ import annotations

import pytest

from dashboard.debugger.outcomes import plugin_times
from dashboard.debugger.outcomes.summary_cache import summary_of
from dashboard.runs.models import RunFigure
from scheduler_core.explain.outcomes.model import PluginFailures

pytestmark = pytest.mark.django_db


def figure(run, family, names, count, seconds, buckets):
    RunFigure.objects.create(
        run_id=run.pk,
        family=family,
        first=names[0],
        second=names[1],
        third=names[2],
        count=count,
        seconds=seconds,
        buckets=buckets,
    )


def test_times_are_those_that_were_measured_the_longest_first(plain_run):
    RunFigure.objects.filter(run_id=plain_run.pk).delete()
    plugin, point = RunFigure.Family.PLUGIN, RunFigure.Family.POINT
    figure(plain_run, plugin, ("Short", "Filter", "Success"), 100, 0.001, [[0.00001, 99], [0.00002, 100]])
    figure(plain_run, plugin, ("Long", "Score", "Success"), 4, 0.4, [[0.00001, 0], [0.03, 3]])
    figure(plain_run, point, ("Filter", "Success", "default-scheduler"), 10, 0.02, [[0.002, 10]])
    section = plugin_times.plugin_section(plain_run, summary_of(plain_run).outcomes)
    assert [(one.plugin, one.point, one.mean, one.within, one.calls) for one in section.times] == [
        ("Long", "Score", "100 ms", "longer", 4),
        ("Short", "Filter", "10 µs", "10 µs", 100),
    ]
    assert [(one.point, one.mean, one.within) for one in section.points] == [
        ("Filter, default-scheduler", "2 ms", "2 ms")
    ]
    assert (section.failures, section.failed) == ([], "no exception")


def test_the_page_shows_the_times_of_its_run(visit, plain_run):
    page = visit(plain_run).content.decode()
    assert "Whole extension points" in page
    assert 'title="NodeResourcesFit"' in page
    assert "no exception" in page


def test_words_of_a_run_without_measured_calls(visit, plain_run):
    RunFigure.objects.filter(run_id=plain_run.pk).delete()
    assert "No call of a plugin was measured in this run." in visit(plain_run).content.decode()


def test_exceptions_are_counted_and_lead_to_the_first_and_to_all(plain_run):
    outcomes = summary_of(plain_run).outcomes
    outcomes.failures.append(PluginFailures("Quota", "Filter", "KeyError", "'cpu'", 41, 1_200))
    outcomes.n_failures = 1_200
    section = plugin_times.plugin_section(plain_run, outcomes)
    (line,) = section.failures
    assert section.failed == "1,200 exceptions"
    assert line.count == "1,200"
    assert line.url == f"/w/team/runs/{plain_run.number}/?seq=42"
    assert line.all_url == f"/w/team/runs/{plain_run.number}/search/?q=type%3Aplugin_failed+plugin%3AQuota"
