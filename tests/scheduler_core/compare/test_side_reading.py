"""A side that is read turn by turn comes to what it comes to at once."""

from __future__ import annotations

import pytest

from scheduler_core.compare import RunToCompare, SideReading, comparison, side_reading
from scheduler_core.explain.outcomes import tally
from tests.scheduler_core.compare.pairs import SEEDS, pair


def reading(one: RunToCompare) -> SideReading:
    return SideReading(one.side())


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_turns_end_where_one_go_ends(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for one in pair(seed):
        whole = reading(one).go_on(one.reader)
        with monkeypatch.context() as patch:
            patch.setattr(side_reading, "BATCH", 37)
            patch.setattr(tally, "BATCH", 37)
            turns = reading(one)
            reached = [turns.reached]
            while turns.go_on(one.reader, lambda: True) is None:
                reached.append(turns.reached)
        assert turns.end == whole
        assert reached == list(range(0, one.side().end, 37)) or one.side().end == 0
        assert turns.reached == turns.until
        assert turns.go_on(one.reader) is turns.end


def test_a_comparison_has_the_totals_of_both_sides() -> None:
    a, b = pair(SEEDS[1])
    both = comparison(a, b)
    ends = [reading(one).go_on(one.reader) for one in (a, b)]
    assert both.totals == tuple(end.totals for end in ends if end is not None)
    assert both.swapped().totals == both.totals[::-1]
    for side, one in zip(both.totals, (a, b), strict=True):
        assert sum(side.outcomes.values()) == side.pods > 0
        assert side.cycles == one.reader.state_at(one.side().end).cycle
