"""Tags and filters, rendered through templates as pages do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.template import Context, Template
from django.test import RequestFactory

from dashboard.common.pages.pagination import paginate
from tests.dashboard.helpers import assert_strict_csp
from tests.flat_html import flat_html


def show(source: str, **context) -> str:
    html = flat_html(Template(source).render(Context(context)))
    assert_strict_csp(html)
    return html


def test_icon_is_decoration_unless_labelled():
    assert show('{% icon "check" cls="i-12" %}') == (
        '<svg class="i i-12" viewBox="0 0 16 16" aria-hidden="true" focusable="false">'
        '<path d="M3.5 8.5l3 3 6-7"/></svg>'
    )
    assert 'role="img" aria-label="gated"' in show('{% icon "lock" label="gated" %}')


def test_say_and_pill_follow_from_the_meaning():
    assert 'class="say m-unsched"' in show('{% say "unsched" %}')
    assert "unschedulable</span>" in show('{% say "unsched" %}')
    pill = show('{% pill "bound" "running" glyph="play" cls="pill-sm" %}')
    assert 'class="pill m-bound pill-sm"' in pill
    assert show('{% icon "play" %}').partition(">")[2] in pill


def test_unknown_meaning_is_an_error():
    with pytest.raises(ValueError, match='"green"'):
        show('{% say "green" %}')


def test_names_are_escaped_everywhere():
    bad = '"><img src=x onerror=alert(1)>'
    html = show(
        "{% say 'bound' bad %}{% pill 'bound' bad %}{% icon 'x' label=bad %}{% avatar bad %}"
        "{% crumb bad bad %}{% meter 1 1 bad %}"
        "{% outcome_bar parts %}{{ parts|outcome_words }}{% bar 1 bad %}",
        bad=bad,
        parts=[("bound", 1, bad)],
    )
    assert "<img" not in html


def test_meter_lengths_are_attributes():
    html = show('{% meter 1000 250 "cpu" mine=500 %}')
    assert '<rect class="used" x="0.00%" width="25.00%" height="100%"/>' in html
    assert '<rect class="mine" x="25.00%" width="50.00%" height="100%"/>' in html
    assert "cpu: 25 % of" in html


def test_meter_over_the_top_is_hot_and_fits():
    html = show('{% meter 100 150 "cpu" mine=50 %}')
    assert 'class="used hot" x="0.00%" width="75.00%"' in html
    assert "none allocatable" in show('{% meter 0 5 "gpu" %}')


def test_outcome_bar_keeps_small_parts_visible():
    html = show(
        "{% outcome_bar parts %}",
        parts=[("bound", 9999, "bound"), ("victim", 0, "preempted"), ("unsched", 1, "pending")],
    )
    assert html.count("<rect") == 2
    assert 'aria-label="9,999 bound, 1 pending"' in html
    width = float(html.split('m-unsched" x="')[1].split('width="')[1].split("%")[0])
    assert width >= 0.9


def test_times_are_written_in_utc():
    berlin = datetime(2026, 11, 20, 12, 30, tzinfo=timezone(timedelta(hours=1)))
    html = show("{% when moment 'date' %}", moment=berlin)
    assert html == '<time datetime="2026-11-20T11:30:00+00:00" data-when="date">20 Nov 2026, 11:30 UTC</time>'
    assert "never" in show("{% when moment %}", moment=None)
    assert 'data-when="ago"' in show("{% when moment %}", moment=datetime.now(UTC))


@pytest.mark.parametrize(
    ("label", "letters"),
    [
        ("Mara Rossi", "MR"),
        ("mara.rossi@example.org", "MR"),
        ("owner@localhost", "OL"),
        ("Asha", "A"),
        ("李小龙", "李"),
        ("", "SL"),
    ],
)
def test_initials(label, letters):
    assert f">{letters}</span>" in show("{% avatar label %}", label=label)


def test_filters():
    html = show(
        "{{ a|num }} {{ b|percent:c }} {{ d|cpu }} {{ e|memory }} {{ f|vtime_us }}",
        a=1500,
        b=3,
        c=8,
        d=500,
        e=2**31,
        f=1_659_250_000,
    )
    assert html == "1,500 38 % 500m 2Gi 00:27:39.250"


def test_pagination_keeps_the_other_parameters():
    request = RequestFactory().get("/runs/", {"q": "a&b", "page": "2"})
    page = paginate(list(range(300)), request.GET)
    html = show('{% include "common/_pagination.html" with noun="runs" target="#runs" %}', page=page, request=request)
    assert "100 of 300 runs" in html
    assert 'href="/runs/?q=a%26b&amp;page=3"' in html
    assert 'hx-get="/runs/?q=a%26b&amp;page=1"' in html
    assert 'aria-current="page">2<' in html


def test_a_list_of_one_page_is_counted_alone():
    request = RequestFactory().get("/runs/")
    for count, text in ((0, "0 runs"), (1, "1 run"), (12, "12 runs")):
        page = paginate(list(range(count)), request.GET)
        html = show('{% include "common/_pagination.html" with noun="runs" %}', page=page, request=request)
        assert f"<span>{text}</span>" in html


def test_empty_says_what_to_do_next():
    html = show('{% include "common/_empty.html" with title="No cluster yet" action_url="/x" action_label="Import" %}')
    assert "No cluster yet" in html
    assert '<a class="btn btn-sm" href="/x">Import</a>' in html


def test_a_long_name_keeps_its_end_and_a_short_one_is_whole():
    assert show("{{ name|tailed }}", name="web-0") == '<span class="cut">web-0</span>'
    long = show("{{ name|tailed }}", name="recommendation-<b>7d9f8b6-x7kq2")
    assert '<span class="cut">recommendation-&lt;b&gt;7d9</span><span class="kept">f8b6-x7kq2</span>' in long


def test_words():
    html = show('{% meter 1000 250 "cpu" mine=500 %}')
    assert "cpu: 25 % of allocatable requested, 50 % more asked for" in html
    request = RequestFactory().get("/runs/")
    page = paginate(list(range(300)), request.GET)
    html = show('{% include "common/_pagination.html" with noun="runs" %}', page=page, request=request)
    assert "1 to 50 of 300 runs" in html
