"""The chart of agreement by the hour."""

from __future__ import annotations

from dashboard.following.live_page.agreement_chart import BASE, HOURS, TOP, WIDTH, agreement_chart
from scheduler_core.explain.reality import AgreementHour, Reality

HOUR = 3_600.0
END = 500_000 * HOUR + 1_800


def figures(*hours, **more):
    of = tuple(AgreementHour(began=END // HOUR * HOUR - ago * HOUR, **counts) for ago, counts in hours)
    return Reality(
        began=0, ended=END, server_version="1.34.1", follows="1.34", configuration="defaults", hours=of, **more
    )


def test_lines_are_broken_where_an_hour_has_none_and_bars_say_how_many():
    chart = agreement_chart(
        figures(
            (30, {"bindings": 9, "equal_bindings": 9}),
            (3, {"bindings": 4, "equal_bindings": 4, "messages": 1}),
            (2, {"bindings": 200, "equal_bindings": 100}),
            (0, {"bindings": 2, "equal_bindings": 0}),
        )
    )
    assert chart is not None
    assert len(chart.bars) == 3
    assert [len(line.split()) for line in chart.bindings] == [2, 2]
    heights = [float(point.partition(",")[2]) for line in chart.bindings for point in line.split()]
    assert heights == [TOP, (TOP + BASE) / 2, BASE, BASE]
    assert [len(line.split()) for line in chart.messages] == [2]
    assert chart.bars[1].height == max(bar.height for bar in chart.bars)
    assert all(0 <= bar.x <= bar.x + bar.width <= WIDTH for bar in chart.bars)


def test_a_change_of_version_stands_where_it_was_and_older_ones_are_left_out():
    versions = ((END - 30 * HOUR, "1.34.2"), (END - 90 * 60, "1.36.2"))
    chart = agreement_chart(figures((0, {"bindings": 1, "equal_bindings": 1}), versions=versions))
    assert chart is not None
    assert [version for _, version in chart.versions] == ["1.36.2"]
    assert chart.versions[0][0] == round((HOURS - 2) * WIDTH / HOURS, 1)


def test_without_decisions_of_the_last_day_there_is_none():
    assert agreement_chart(figures()) is None
    assert agreement_chart(figures((30, {"bindings": 9}))) is None
