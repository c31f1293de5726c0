"""Which entries an address means."""

from __future__ import annotations

import pytest

from dashboard.common.problems import BadQuery
from dashboard.documents.timelines.arrivals.choice import ArrivalChoice, read_choice, time_in, time_param
from dashboard.documents.timelines.arrivals.rows import arrival_rows
from tests.dashboard.documents.timelines.arrivals.some_entries import rush


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, ["web-1", "web-2", "job-1", "web-3", "web-1"]),
        ({"from": "2s", "before": "4s"}, ["web-2", "job-1"]),
        ({"from": "4"}, ["web-3", "web-1"]),
        ({"ns": "batch"}, ["job-1"]),
        ({"of": "app=web"}, ["web-1", "web-2", "web-3", "web-1"]),
        ({"what": "delete"}, ["web-1"]),
        ({"q": "POD batch"}, ["job-1"]),
        ({"q": "pod nothing"}, []),
    ],
)
def test_a_choice_takes_what_it_names(query, names):
    choice = read_choice(query)
    assert [row.key.name for row in choice.of(arrival_rows(rush()))] == names
    assert read_choice(choice.fields) == choice
    assert choice.is_all == (query == {})


def test_an_interval_is_said_in_words():
    assert read_choice({"from": "1m"}).interval == "from 60s on"
    assert read_choice({"before": "1.5s"}).interval == "from 0s to before 1.5s"
    assert ArrivalChoice().interval == ArrivalChoice().query == ""
    assert read_choice({"from": "1s", "of": "app=web"}).query == "from=1s&of=app%3Dweb"
    assert ArrivalChoice(5, None, "a").moved(7, 9) == ArrivalChoice(7, 9, "a")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"from": "soon"}, 'from: "soon" is no time'),
        ({"before": "-1s"}, "before: "),
        ({"from": "3s", "before": "2s"}, '"before" must be later than "from": 2s is not later than 3s'),
        ({"what": "explode"}, '"what" must be one of'),
    ],
)
def test_what_makes_no_choice_is_refused(query, message):
    with pytest.raises(BadQuery, match=message):
        read_choice(query)


def test_times_are_read_with_blanks():
    assert time_param({"at": " 1 m "}, "at") == 60_000_000
    assert time_param({}, "at") is None
    assert time_in("2ms", "at") == 2_000
