"""Addresses of clusters, revisions and objects that are not there."""

from __future__ import annotations

import pytest

HERE = "/w/team/clusters/prod/"


@pytest.mark.parametrize(
    "path", ["?r=9", "object/?kind=Pod&ns=default&name=gone", "diff/?from=1&to=4", "object/export?kind=Node&name=x"]
)
def test_what_is_not_there_is_404(viewer, cluster, path):
    assert viewer.get(HERE + path).status_code == 404


@pytest.mark.parametrize("path", ["object/", "object/?kind=Pod", "object/?name=web&ns=default"])
def test_an_object_without_kind_or_name_is_asked_for(viewer, cluster, path):
    answer = viewer.get(HERE + path)
    assert answer.status_code == 400
    assert "Name the object" in answer.content.decode()
