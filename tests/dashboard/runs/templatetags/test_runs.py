"""What templates of other apps show of runs."""

from __future__ import annotations

import pytest

from dashboard.runs.templatetags.runs import binary_size, storage


@pytest.mark.parametrize(
    ("count", "expected"), [(0, "0 B"), (1_572_864, "1.5 MiB"), (1 << 30, "1 GiB"), (512, "512 B")]
)
def test_sizes_have_binary_units(count, expected):
    assert binary_size(count) == expected


@pytest.mark.django_db
def test_a_workspace_without_runs_stores_nothing(workspace):
    assert storage(workspace) == {"workspace": workspace, "used_bytes": 0}
