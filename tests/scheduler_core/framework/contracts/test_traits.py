"""What a plugin says of itself."""

from __future__ import annotations

import pytest

from scheduler_core.framework.contracts.traits import Traits


@pytest.mark.parametrize(
    ("traits", "expected"),
    [(Traits(), True), (Traits(node_local=True), False), (Traits(static=True), False)],
    ids=["nothing said", "node_local", "static"],
)
def test_an_answer_may_depend_on_pods_elsewhere_unless_the_plugin_rules_that_out(traits, expected):
    assert traits.across_nodes is expected
