"""What a form proposes where the nodes that a draft adds do not have what the pod asks for: one click each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from dashboard.common.pages.numbers import grouped
from dashboard.common.problems import BadQuery
from scheduler_core.explain.matches import REPELLING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from scheduler_core.api.objects import Node, Pod

LABEL, TOLERATE = "label", "tolerate"
MAX_MENDS = 4


class Mend(NamedTuple):
    """A sentence that says what does not fit, the words of its button, and what the button does."""

    text: str
    strong: str
    label: str
    action: str


def find_mends(pod: Pod, nodes: Sequence[Node], added: Collection[str]) -> list[Mend]:
    """Return what would let the pod onto the added nodes as far as labels and taints keep it off."""
    own = [node for node in nodes if node.name in added]
    return [*_labels(pod, own), *_taints(pod, own)][:MAX_MENDS] if own else []


def _labels(pod: Pod, own: Sequence[Node]) -> Iterator[Mend]:
    asked: dict[str, str] = dict(pod.node_selector)
    required = pod.affinity.node_required if pod.affinity else None
    for term in required.terms if required is not None else ():
        for one in term.match_expressions:
            if one.operator == "In" and one.values:
                asked.setdefault(one.key, one.values[-1])
    for key, value in asked.items():
        missing = [node for node in own if key not in node.labels]
        if missing:
            text = f"{_these(len(missing))} that you added {_have(len(missing))} no"
            yield Mend(text, key, f"Label {_them(len(missing))} {value}", action(LABEL, key, value))


def _taints(pod: Pod, own: Sequence[Node]) -> Iterator[Mend]:
    repelled: dict[tuple[str, str, str], int] = {}
    for node in own:
        for taint in node.taints:
            is_tolerated = any(one.tolerates(taint) for one in pod.tolerations)
            if taint.effect in REPELLING and not is_tolerated:
                parts = taint.key, taint.value, taint.effect
                repelled[parts] = repelled.get(parts, 0) + 1
    for (key, value, effect), number in repelled.items():
        pair = f"{key}={value}" if value else key
        text = f"{_these(number)} that you added {_have(number)} a taint that it does not tolerate:"
        yield Mend(text, f"{pair}:{effect}", "Tolerate it", action(TOLERATE, key, value, effect))


def action(verb: str, *values: str) -> str:
    """Return what a button says: the verb and its values."""
    return f"{verb}:{json.dumps(values, ensure_ascii=False)}"


def action_in(text: str) -> tuple[str, list[str]]:
    """Return the verb and values of a button; raises BadQuery."""
    verb, _, rest = text.partition(":")
    try:
        values = json.loads(rest)
    except (ValueError, RecursionError):
        values = None
    expected = {LABEL: 2, TOLERATE: 3}.get(verb)
    if not isinstance(values, list) or len(values) != expected or not all(isinstance(one, str) for one in values):
        raise BadQuery("The form proposes nothing of that sort.")
    return verb, values


def _these(number: int) -> str:
    return "The node" if number == 1 else f"The {grouped(number)} nodes"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _them(number: int) -> str:
    return "it" if number == 1 else "them"
