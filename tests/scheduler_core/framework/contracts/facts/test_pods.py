"""The skew that a spread constraint judges by."""

from __future__ import annotations

import pytest

from scheduler_core.framework.contracts.facts.pods import SpreadFact


@pytest.mark.parametrize(
    ("here", "adds", "least", "skew"),
    [
        pytest.param(3, 1, 1, 3, id="the pod matches its own selector"),
        pytest.param(3, 0, 1, 2, id="the pod does not match"),
        pytest.param(0, 1, 0, 1, id="the first pod"),
    ],
)
def test_the_skew_is_that_with_the_pod_on_the_node(here, adds, least, skew):
    fact = SpreadFact(
        topology_key="zone",
        selector=None,
        max_skew=1,
        domain="a",
        here=here,
        adds=adds,
        least=least,
        n_domains=2,
    )
    assert fact.skew == skew
