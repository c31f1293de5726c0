"""Everything of a view is in its address, defaults stay out of it."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.common.problems import BadQuery
from dashboard.debugger.outcomes.address import CHARTS, GROUPINGS, OutcomesView, view_of
from scheduler_core.explain.outcomes import KINDS

words = st.text("abc019.-", min_size=1, max_size=8)


@given(
    st.builds(
        OutcomesView,
        slug=st.just("team"),
        number=st.just(7),
        outcome=st.sampled_from(("", *KINDS)),
        by=st.sampled_from(GROUPINGS),
        q=st.text("ab= &%é", max_size=9).map(str.strip),
        open=st.lists(words, unique=True, max_size=4).map(tuple),
        n=st.integers(1, 10_000),
        all=st.booleans(),
        waited=st.none() | st.tuples(st.integers(0, 10**12), st.integers(0, 10**12)).map(sorted).map(tuple),
        seq=st.integers(-1, 10**9),
        charts=st.sampled_from(CHARTS),
    )
)
def test_an_address_leads_back_to_its_view(view):
    query = parse_qs(urlsplit(view.url()).query)
    assert view_of("team", 7, {name: values[0] for name, values in query.items()}) == view


def test_the_plain_view_has_a_plain_address():
    assert OutcomesView("team", 7).url() == "/w/team/runs/7/outcomes/"


def test_folding_a_row_folds_what_is_below_it():
    view = OutcomesView("team", 7, open=("a", "a.b", "ab"))
    assert view.toggled("a").endswith("?open=ab")
    assert view.toggled("c").endswith("?open=a,a.b,ab,c")


def test_a_total_filters_and_is_taken_away_by_itself():
    assert OutcomesView("team", 7).filtered("gated").endswith("?outcome=gated")
    assert OutcomesView("team", 7, outcome="gated").filtered("gated").endswith("/outcomes/")


SPANS = [{"waited": text} for text in ("5", "-", "5-", "-5-6", "7-6", "1-2-3", "a-b", "1.5-2", "9" * 30 + "-1")]


@pytest.mark.parametrize("query", [{"by": "luck"}, {"n": "0"}, {"outcome": "x"}, {"open": "a" * 2001}, *SPANS])
def test_what_no_view_has_is_refused(query):
    with pytest.raises(BadQuery):
        view_of("team", 7, query)
