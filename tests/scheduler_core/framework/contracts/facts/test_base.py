"""Facts of plugins from outside say themselves."""

from __future__ import annotations

from scheduler_core.explain.facts import text
from scheduler_core.framework.contracts import facts as f


def test_a_plugin_from_outside_says_its_facts_itself() -> None:
    class Racks(f.Fact, frozen=True, kw_only=True):
        rack: str

        def words(self) -> str:
            return f"rack {self.rack} is full"

    fact = Racks(rack="r1", refuses=True)
    assert text(fact) == fact.words()
