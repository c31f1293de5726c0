"""Names of objects, tolerations, and what has ended."""

from __future__ import annotations

import pytest

from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.testing.builders import make_pod

GPU = Taint(key="gpu", value="yes", effect="NoSchedule")


@pytest.mark.parametrize(
    ("toleration", "tolerates"),
    [
        pytest.param(Toleration(), False, id="empty compares an empty key with Equal"),
        pytest.param(Toleration(operator="Exists"), True, id="Exists without a key tolerates all"),
        pytest.param(Toleration(key="gpu", operator="Exists"), True, id="Exists of the key"),
        pytest.param(Toleration(key="gpu", value="yes"), True, id="Equal"),
        pytest.param(Toleration(key="gpu", operator="", value="yes"), True, id="no operator is Equal"),
        pytest.param(Toleration(key="gpu", value="no"), False, id="another value"),
        pytest.param(Toleration(key="spot", operator="Exists"), False, id="another key"),
        pytest.param(Toleration(key="gpu", value="yes", effect="NoExecute"), False, id="another effect"),
        pytest.param(Toleration(key="gpu", operator="Lt", value="yes"), False, id="an operator that is none"),
    ],
)
def test_tolerations_as_the_api_judges_them(toleration, tolerates):
    """Second source: ToleratesTaint of core/v1 toleration.go."""
    assert toleration.tolerates(GPU) is tolerates


@pytest.mark.parametrize(
    ("phase", "is_over"), [("Pending", False), ("Running", False), ("Succeeded", True), ("Failed", True)]
)
def test_a_pod_is_over_where_it_succeeded_or_failed(phase, is_over):
    assert make_pod("p", phase=phase).is_terminal is is_over


def test_a_pod_is_named_by_namespace_and_name():
    assert make_pod("web", namespace="shop").key == "shop/web"
