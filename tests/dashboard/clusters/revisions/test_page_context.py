"""Addresses of clusters, revisions and objects that are not there."""

from __future__ import annotations

import pytest

HERE = "/w/team/clusters/prod/"


@pytest.mark.parametrize(
    "path", ["?r=9", "object/?kind=Pod&ns=default&name=gone", "diff/?from=1&to=4", "object/export?kind=Node&name=x"]
)
def test_what_is_not_there_is_404(viewer, cluster, path):
    assert viewer.get(HERE + path).status_code == 404
