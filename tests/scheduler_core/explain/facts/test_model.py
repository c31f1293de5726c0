"""Alternatives and requirements, joined in words."""

from __future__ import annotations

from scheduler_core.explain.facts import ToldFact, joined, text
from scheduler_core.framework.contracts import facts as f


def test_alternatives_of_one_selector_are_joined_by_or() -> None:
    def of_term(term: int, key: str) -> ToldFact:
        fact = f.LabelFact(source="required node affinity", key=key, operator="Exists", term=term, refuses=True)
        return ToldFact(fact, text(fact))

    facts_in_words = (of_term(0, "gpu"), of_term(0, "ssd"), of_term(1, "cores"))
    gpu, ssd, cores = (fact.text for fact in facts_in_words)
    assert joined(facts_in_words) == f"{gpu} and {ssd}; or {cores}"


def test_requirements_of_node_selector_hold_together() -> None:
    facts = [f.LabelFact(source="nodeSelector", key=k, operator="In", values=("x",), refuses=True) for k in "ab"]
    facts_in_words = tuple(ToldFact(fact, text(fact)) for fact in facts)
    assert joined(facts_in_words) == " and ".join(fact.text for fact in facts_in_words)
