"""The facts of a pod on a node as typed plain values, the same for pages, the command line and files."""

from __future__ import annotations

from typing import Literal

import msgspec

from scheduler_core.framework.contracts.extending.recorded import address_of_extender, is_extender
from scheduler_core.framework.contracts.facts import Fact

Verdict = Literal["passed", "refused", "skipped", "not asked"]


class ToldFact(msgspec.Struct, frozen=True):
    """A fact and its text."""

    fact: Fact
    text: str


class FilterFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A filter plugin's verdict on a node and its inputs.

    ``verdict``, ``code`` and ``reasons`` (the reference's own text) are those recorded, where there is a recording;
    "skipped": its PreFilter left it out; "not asked": the node was not looked at, or PreFilter rejected the pod.
    ``whole_pod``: PreFilter rejected the pod itself. ``with_nominated``: the node is refused only with the nominated
    pods counted in. ``difference`` says in words where what is computed now is not what was recorded, "" where it is.
    """

    plugin: str
    verdict: Verdict
    code: int = 0
    reasons: tuple[str, ...] = ()
    facts: tuple[ToldFact, ...] = ()
    whole_pod: bool = False
    with_nominated: bool = False
    difference: str = ""

    @property
    def against(self) -> tuple[ToldFact, ...]:
        """The facts that are against the pod."""
        return tuple(fact for fact in self.facts if fact.fact.refuses)

    @property
    def text(self) -> str:
        """Why the node is refused: the texts of the facts, or kube-scheduler's reasons if there are no facts.

        For an extender, which gives no facts: "refused by extender http://a.example: busy"."""
        if is_extender(self.plugin):
            return refused_by_extender(self.plugin, self.reasons) if self.verdict == "refused" else ""
        return joined(self.against) or "; ".join(self.reasons)


class ScoreFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A score plugin's numbers on a node: raw -> normalised (0..100) -> times weight, and the formula's inputs.

    ``kind`` and ``params`` are the normaliser's (contracts/normalizers.py). Numbers are those recorded where there is a
    recording; ``difference`` as of FilterFacts.
    """

    plugin: str
    raw: int
    normalised: int
    weight: int
    kind: str = "identity"
    params: tuple[int, ...] = ()
    facts: tuple[ToldFact, ...] = ()
    difference: str = ""

    @property
    def points(self) -> int:
        """The plugin's share of the node's total."""
        return self.normalised * self.weight


class NodeFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All filter and score plugins of the pod's profile on one node; no scores where the node was not scored."""

    pod: str
    node: str
    filters: tuple[FilterFacts, ...]
    scores: tuple[ScoreFacts, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether no filter refuses the node."""
        return all(one.verdict != "refused" for one in self.filters)

    @property
    def refusing(self) -> tuple[FilterFacts, ...]:
        """The filters that refuse, in the profile's order; the first is the one that counts."""
        return tuple(one for one in self.filters if one.verdict == "refused")

    @property
    def total(self) -> int:
        """The sum of the points."""
        return sum(one.points for one in self.scores)


def refused_by_extender(name: str, reasons: tuple[str, ...]) -> str:
    """How an extender refused a node, by the name that it has among plugins."""
    address, text = address_of_extender(name), "; ".join(reasons)
    return f"refused by extender {address}: {text}" if reasons else f"left out by extender {address} without a reason"


def joined(facts: tuple[ToldFact, ...]) -> str:
    """Facts as one sentence part; requirements of another term of one selector are an alternative."""
    parts = []
    for i, one in enumerate(facts):
        term, before = getattr(one.fact, "term", None), getattr(facts[i - 1].fact, "term", None) if i else None
        same_source = i > 0 and getattr(one.fact, "source", None) == getattr(facts[i - 1].fact, "source", "")
        if same_source and term == before:
            parts.append(f" and {one.text}")
        else:
            parts.append(f"{'; ' if i else ''}{'or ' if same_source else ''}{one.text}")
    return "".join(parts)
