"""Who can act, as pages show it."""

from __future__ import annotations

from dashboard.debugger.panels.why.actors import GLYPHS, NAMES, actor_glyph, actor_name
from scheduler_core.framework.contracts.obstacles import ACTORS


def test_each_actor_of_the_core_has_a_name_and_a_glyph_in_the_order_of_proposals():
    assert tuple(NAMES) == tuple(GLYPHS) == ACTORS
    assert (actor_name("node-lifecycle"), actor_name("somebody")) == ("node", "somebody")
    assert actor_glyph("somebody")
