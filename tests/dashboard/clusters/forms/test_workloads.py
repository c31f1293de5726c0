"""Forms of workloads: how their pods are replaced after a change."""

from __future__ import annotations

import pytest

from dashboard.clusters.forms.model import Sort
from dashboard.clusters.forms.workloads import workload_forms

FORMS = {one.kind: one for one in workload_forms()}


@pytest.mark.parametrize(
    ("kind", "strategy", "steps"),
    [
        ("Deployment", "strategy", {"maxSurge", "maxUnavailable"}),
        ("DaemonSet", "updateStrategy", {"maxSurge", "maxUnavailable"}),
        ("StatefulSet", "updateStrategy", {"partition"}),
    ],
)
def test_workloads_have_a_section_of_how_they_roll_out(kind, strategy, steps):
    (section,) = [one for one in FORMS[kind].sections if one.title == "Rollout"]
    paths = [one.path for one in section.fields]
    assert ("spec", strategy, "type") in paths
    assert {path[3] for path in paths if path[:3] == ("spec", strategy, "rollingUpdate")} == steps
    assert {one.sort for one in section.fields if one.path[-1] in steps} <= {Sort.SHARE, Sort.WHOLE}
