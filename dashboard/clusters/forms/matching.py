"""What the parts of a form match in a draft, by the engine's own selectors: a note beside each part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.clusters.forms.model import KindForm, Path
from dashboard.clusters.forms.values import ABSENT, below
from dashboard.common.pages.numbers import grouped
from scheduler_core.explain import matches
from scheduler_core.manifests import pod_from_raw
from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.manifests.kinds.pods.affinity import PREFERRED, REQUIRED
from scheduler_core.manifests.kinds.selectors import label_selector, node_selector, plain_selector
from scheduler_core.manifests.single_object import InvalidObject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scheduler_core.api.objects import ClusterObjects, Pod
    from scheduler_core.explain.matches import Found, PodTermMatches, SpreadMatches

NAMES_SHOWN = 12
DOMAINS_SHOWN = 6


@dataclass(frozen=True)
class MatchNote:
    """What a part matches, in words; `kind` and `names` are the objects, `share` is in percent, None without a bar."""

    text: str
    kind: str = "Node"
    names: tuple[str, ...] = ()
    share: int | None = None

    @property
    def first(self) -> tuple[str, ...]:
        """Return the names that are shown beside the note."""
        return self.names[:NAMES_SHOWN]

    @property
    def more(self) -> int:
        """Return how many names are not."""
        return len(self.names) - len(self.first)


Notes = dict[Path, MatchNote]


def typed_pod(form: KindForm, raw: Mapping[str, Any]) -> Pod | None:
    """Return the typed pod of the object, or of its template; None without one, or with errors in it."""
    if form.pod_path is None:
        return None
    holder, metadata = below(raw, form.pod_path), raw.get("metadata")
    own = metadata if isinstance(metadata, dict) else {}
    spec, labels = below(holder, ("spec",)), below(holder, ("metadata", "labels"))
    if not isinstance(spec, dict):
        return None
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": own.get("name") or "pod",
            "namespace": own.get("namespace") or "default",
            "labels": labels if isinstance(labels, dict) else {},
        },
        # Which class it has changes no match, and the class may be missing.
        "spec": {name: value for name, value in spec.items() if name not in ("priorityClassName", "nodeName")},
    }
    try:
        return pod_from_raw(pod)
    except InvalidObject:
        return None


def matching_notes(form: KindForm, raw: Mapping[str, Any], objects: ClusterObjects) -> Notes:
    """Return {path: note}; empty where the object has errors."""
    notes: Notes = {}
    pod = typed_pod(form, raw)
    if pod is not None:
        spec = (*(form.pod_path or ()), "spec")
        _note_nodes(notes, spec, pod, objects)
        _note_tolerations(notes, spec, pod, objects)
        _note_terms(notes, spec, pod, objects)
        _note_spread(notes, spec, pod, objects)
    _note_selectors(notes, form, raw, objects)
    return notes


def _note_nodes(notes: Notes, spec: Path, pod: Pod, objects: ClusterObjects) -> None:
    required = matches.required_nodes(pod, objects.nodes)
    if required.selector is not None:
        notes[(*spec, "nodeSelector")] = _nodes(required.selector, "match")
    terms = (*spec, "affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms")
    if required.terms:
        notes[terms] = _nodes(required.whole, "match, selector included" if required.selector else "match")
    for i, term in enumerate(required.terms):
        _note_steps(notes, (*terms, i), (), term)
    terms = (*spec, "affinity", "nodeAffinity", PREFERRED)
    for i, term in enumerate(matches.preferred_nodes(pod, objects.nodes)):
        _note_steps(notes, (*terms, i), ("preference",), term)


def _note_steps(notes: Notes, path: Path, inside: Path, term: matches.NodeTermMatches) -> None:
    notes[path] = _nodes(term.whole, "match this term")
    for j, step in enumerate(term.steps):
        # Names of fields come after the labels; they are shown with the whole term.
        notes[(*path, *inside, "matchExpressions", j)] = _nodes(step, "left" if j else "match")


def _note_tolerations(notes: Notes, spec: Path, pod: Pod, objects: ClusterObjects) -> None:
    tolerated = matches.tolerated_nodes(pod, objects.nodes)
    path = (*spec, "tolerations")
    let_in = tolerated.let_in
    notes[path] = _note(let_in, f"let into {grouped(let_in.n)} of {grouped(let_in.of)} tainted nodes")
    for i, one in enumerate(tolerated.each):
        notes[(*path, i)] = _note(one, f"tolerates a taint of {_count(one.n, 'node')}")


def _note_terms(notes: Notes, spec: Path, pod: Pod, objects: ClusterObjects) -> None:
    affinity = pod.affinity
    if affinity is None:
        return
    each = iter(matches.pod_terms(pod, objects))
    for part, form, terms in (
        ("podAffinity", REQUIRED, affinity.pod_required),
        ("podAntiAffinity", REQUIRED, affinity.anti_required),
        ("podAffinity", PREFERRED, affinity.pod_preferred),
        ("podAntiAffinity", PREFERRED, affinity.anti_preferred),
    ):
        for i, _ in enumerate(terms):
            notes[(*spec, "affinity", part, form, i)] = _term_note(next(each), objects)


def _term_note(term: PodTermMatches, objects: ClusterObjects) -> MatchNote:
    text = f"{_count(term.pods.n, 'placed pod')}{_verb(term.pods.n)}"
    if term.waiting:
        text += f", {grouped(term.waiting)} waiting"
    side = "in" if term.kind == "affinity" else "out"
    text += f"; {_count(term.nodes.n, 'node')} {side}"
    if term.unlabelled:
        text += f", {grouped(term.unlabelled)} without the label"
    return MatchNote(text, "Pod", term.pods.names)


def _note_spread(notes: Notes, spec: Path, pod: Pod, objects: ClusterObjects) -> None:
    for i, one in enumerate(matches.spread_domains(pod, objects)):
        notes[(*spec, "topologySpreadConstraints", i)] = _spread_note(one)


def _spread_note(one: SpreadMatches) -> MatchNote:
    if not one.domains:
        return MatchNote("no node takes part", "Pod")
    numbers = ", ".join(grouped(domain.pods) for domain in one.domains[:DOMAINS_SHOWN])
    more = len(one.domains) - DOMAINS_SHOWN
    text = f"now {numbers}{f' and {grouped(more)} more domains' if more > 0 else ''}"
    allowed = [domain.value for domain in one.domains if domain.is_allowed]
    if len(allowed) == len(one.domains):
        text += "; next: any"
    elif len(allowed) <= DOMAINS_SHOWN:
        text += f"; next: {', '.join(allowed) or 'none'}"
    else:
        text += f"; next: {grouped(len(allowed))} of {grouped(len(one.domains))} domains"
    return MatchNote(text, "Pod", one.pods.names)


def _note_selectors(notes: Notes, form: KindForm, raw: Mapping[str, Any], objects: ClusterObjects) -> None:
    """Selectors of budgets, Services and workloads, and the nodes that reach a volume."""
    namespace = below(raw, ("metadata", "namespace"))
    namespace = namespace if isinstance(namespace, str) and namespace else "default"
    for one in form.fields:
        value, sink = below(raw, one.path), Sink()
        if value is ABSENT or not one.builder:
            continue
        if one.builder == "volume nodes":
            chosen = node_selector(At({"nodeSelectorTerms": value}, (), sink))
            if chosen is not None and not sink.complaints:
                names = [node.name for node in objects.nodes if chosen.matches(node.name, node.labels)]
                notes[one.path] = _nodes(matches.Found(tuple(names), len(objects.nodes)), "reach it")
        elif one.builder in ("selected pods", "own pods"):
            whole = below(raw, one.path[:-1]) if one.path[-1] == "matchLabels" else value
            read = label_selector if one.path[-1] == "matchLabels" else plain_selector
            selector = read(At(whole, (), sink))
            if not sink.complaints:
                found_pods = matches.selected_pods(selector, namespace, objects.pods)
                text = f"{grouped(found_pods.n)} of {_count(found_pods.of, 'pod')} in {namespace} match"
                notes[one.path] = MatchNote(text, "Pod", found_pods.names, _share(found_pods))


def _nodes(one: Found, verb: str) -> MatchNote:
    return _note(one, f"{grouped(one.n)} of {_count(one.of, 'node')} {verb}")


def _note(one: Found, text: str) -> MatchNote:
    return MatchNote(text, "Node", one.names, _share(one))


def _share(one: Found) -> int:
    return round(100 * one.n / one.of) if one.of else 0


def _count(number: int, noun: str) -> str:
    return f"{grouped(number)} {noun}{'' if number == 1 else 's'}"


def _verb(number: int) -> str:
    return " matches" if number == 1 else " match"
