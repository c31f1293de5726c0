"""Cells of CSV files that a spreadsheet would compute are quoted."""

from __future__ import annotations

import pytest

from dashboard.common.pages.csv_cells import guarded


@pytest.mark.parametrize("value", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1"])
def test_cells_that_a_spreadsheet_would_compute_are_quoted(value):
    assert guarded(value) == f"'{value}"


def test_other_cells_stay_as_they_are():
    assert [guarded(one) for one in ("web-0", "", "1-2", -5, 1.5)] == ["web-0", "", "1-2", -5, 1.5]
