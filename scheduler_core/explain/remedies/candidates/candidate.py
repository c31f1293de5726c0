"""A possible remedy for a pod, not tried yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.columns.cluster import object_key
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.remedies import model
from scheduler_core.explain.remedies.codes import needed_actor
from scheduler_core.explain.remedies.model import ProposedEdit, Remedy

SHOWN_NODES = 3
MOST_NAMED = 3
PodEdit = tuple[ProposedEdit, str, float, Callable[[Pod], Pod | None]]
"""One edit of the pod to try: as data, in words, its size, and how it is made (None: it cannot be)."""


class RemedyCandidate(msgspec.Struct, frozen=True):
    """A remedy not yet tried and the changes that it means. ``nominates``: a nomination is all that is hoped for."""

    remedy: Remedy
    changes: Changes
    nominates: bool = False


def of_pod(pod: Pod, edits: Sequence[PodEdit], nodes: Iterable[str] = ()) -> RemedyCandidate | None:
    """The candidate of these edits of the pod, made up for these nodes; None where one cannot be made."""
    edited: Pod | None = pod
    for _, _, _, make in edits:
        edited = None if edited is None else make(edited)
    if edited is None:
        return None
    proposed, texts, sizes, _ = zip(*edits, strict=True)
    return RemedyCandidate(_remedy(proposed, " and ".join(texts), sum(sizes), nodes), Changes(pod=edited))


def edit_candidates(pod: Pod, edits: Sequence[PodEdit], nodes: Iterable[str] = ()) -> Iterator[RemedyCandidate]:
    """The candidate of these edits of the pod; nothing without edits, or where one cannot be made."""
    made = of_pod(pod, edits, nodes) if edits else None
    if made is not None:
        yield made


def of_state(edit: ProposedEdit, text: str, size: float, changes: Changes, nodes: Iterable[str]) -> RemedyCandidate:
    """The candidate of a change of something else than the pod."""
    return RemedyCandidate(_remedy((edit,), text, size, nodes), changes)


def followed_by(first: RemedyCandidate, second: RemedyCandidate) -> RemedyCandidate:
    """The first change followed by a second one, which was derived on the state that the first one left."""
    one, other, before, after = first.remedy, second.remedy, first.changes, second.changes
    made = msgspec.structs.replace(
        one,
        text=f"{one.text} and {other.text[:1].lower()}{other.text[1:]}",
        edits=(*one.edits, *other.edits),
        actor=needed_actor(tuple(edit.code for edit in (*one.edits, *other.edits))),
        size=round(one.size + other.size, 6),
        nodes=other.nodes,
        n_nodes=other.n_nodes,
    )
    changes = Changes(
        pod=before.pod if after.pod is None else after.pod,
        nodes=tuple({node.name: node for node in (*before.nodes, *after.nodes)}.values()),
        gone=tuple(dict.fromkeys((*before.gone, *after.gone))),
        objects=tuple({(type(o), object_key(o)): o for o in (*before.objects, *after.objects)}.values()),
    )
    return RemedyCandidate(made, changes, first.nominates or second.nominates)


def leaving_words(keys: Sequence[str], node: str) -> str:
    """ "let a, b leave node" """
    more = f" and {len(keys) - MOST_NAMED} more" if len(keys) > MOST_NAMED else ""
    return f"let {', '.join(keys[:MOST_NAMED])}{more} leave {node}"


_CODES = {
    model.REQUEST: "REQUEST_LESS",
    model.TOLERATION: "TOLERATE",
    model.SELECTOR: "DROP_SELECTOR_TERM",
    model.CONSTRAINT: "LOOSEN_SPREAD",
    model.PORT: "CHANGE_PORT",
    model.LABEL: "LABEL_NODE",
    model.CORDON: "UNCORDON",
    model.BIGGER_NODE: "GROW_NODE",
    model.NEW_NODE: "ADD_NODE_LIKE",
    model.PODS_GONE: "EVICT_POD",
    model.PRIORITY: "RAISE_PRIORITY",
    model.TAINT: "UNTAINT_NODE",
    model.VOLUME: "CREATE_VOLUME",
    model.DEVICES: "DROP_VOLUME",
    model.GATE: "REMOVE_GATE",
    model.GANG: "SHRINK_GANG",
    model.SCHEDULER: "MEND_SCHEDULER_NAME",
    model.WAITING: "WAIT",
    model.STRATEGY: "CHANGE_STRATEGY",
}
"""The code of an edit that names none, by its kind."""


def _remedy(proposed: tuple[ProposedEdit, ...], text: str, size: float, nodes: Iterable[str]) -> Remedy:
    named = list(nodes)
    several = [one for i, one in enumerate(proposed) if one not in proposed[:i]]
    edits = tuple(one if one.code else msgspec.structs.replace(one, code=_CODES[one.kind]) for one in several)
    return Remedy(
        kind=edits[0].kind,
        code=edits[0].code,
        actor=needed_actor(tuple(one.code for one in edits)),
        text=text[:1].upper() + text[1:],
        edits=edits,
        size=round(float(size), 6),
        nodes=tuple(named[:SHOWN_NODES]),
        n_nodes=len(named),
    )
