"""Affinity terms ready for matching: the incoming pod's and, per pod class, those of placed pods.

Mirrors AffinityTerm of framework/types.go and interpodaffinity/plugin.go.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from scheduler_core.api.labels import Labels, LabelSelector
from scheduler_core.api.objects import Affinity, Namespace, Pod, PodAffinityTerm
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import Label, PodClass, PodClasses, from_id, labels_of_any
from scheduler_core.columns.tallies import Among, WeightOf
from scheduler_core.framework.plugin_helpers.node_selectors import GenerationMemo
from scheduler_core.framework.topology.domains import Domains, DomainSums

NO_LABELS: Labels = {}
_NO_AFFINITY = Affinity()


class InterPodAffinityArgs(msgspec.Struct, frozen=True):
    """``hard_pod_affinity_weight`` is what a placed pod's required affinity to the incoming pod is worth in scoring."""

    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError, naming the field, where the weight is out of range."""
        if not 0 <= self.hard_pod_affinity_weight <= 100:
            raise ValueError(f"hardPodAffinityWeight: {self.hard_pod_affinity_weight} is not in 0..100")


class Term(msgspec.Struct, frozen=True):
    """A term with the namespaces it names; ``weight`` is negative for preferred anti-affinity."""

    topology_key: str
    selector: LabelSelector | None
    namespaces: frozenset[str]
    namespace_selector: LabelSelector | None
    weight: int = 1

    def matches(self, labels: Labels, namespace: str, namespace_labels: Labels = NO_LABELS) -> bool:
        """Whether a pod with these labels in that namespace is meant; an absent selector means none."""
        if self.selector is None:
            return False
        by_selector = self.namespace_selector is not None and self.namespace_selector.matches(namespace_labels)
        return (namespace in self.namespaces or by_selector) and self.selector.matches(labels)


Terms = tuple[Term, ...]


def make_term(namespace: str, term: PodAffinityTerm, weight: int = 1) -> Term:
    """The term of a pod of that namespace, which it means where it names none."""
    own = not term.namespaces and term.namespace_selector is None
    names = frozenset((namespace,)) if own else frozenset(term.namespaces)
    return Term(term.topology_key, term.label_selector, names, term.namespace_selector, weight)


class PodTerms:
    """All terms of a pod: required affinity, required anti-affinity, and the preferred ones of both kinds."""

    __slots__ = ("affinity", "anti_affinity", "preferred")

    def __init__(self, affinity: Terms, anti_affinity: Terms, preferred: Terms) -> None:
        self.affinity = affinity
        self.anti_affinity = anti_affinity
        self.preferred = preferred

    @classmethod
    def of(cls, pod: Pod) -> PodTerms:
        """The terms as the pod has them."""
        namespace, affinity = pod.namespace, pod.affinity or _NO_AFFINITY
        liked = [make_term(namespace, w.term, w.weight) for w in affinity.pod_preferred]
        disliked = [make_term(namespace, w.term, -w.weight) for w in affinity.anti_preferred]
        return cls(
            tuple(make_term(namespace, term) for term in affinity.pod_required),
            tuple(make_term(namespace, term) for term in affinity.anti_required),
            (*liked, *disliked),
        )

    def resolved(self, namespaces: Iterable[Namespace], *, selectors_stay: bool) -> PodTerms:
        """With the namespaces added that the namespace selectors choose.

        Where the selectors stay, they are later matched against no labels at all, as upstream does since v1.34: a
        selector that holds for a namespace without labels (DoesNotExist, NotIn) then selects every namespace.
        """
        now = list(namespaces)
        return PodTerms(
            *(tuple(_resolve(term, now, selectors_stay=selectors_stay) for term in terms) for terms in self.kinds)
        )

    @property
    def kinds(self) -> tuple[Terms, Terms, Terms]:
        """Affinity, anti-affinity and preferred ones."""
        return self.affinity, self.anti_affinity, self.preferred


def _resolve(term: Term, namespaces: list[Namespace], *, selectors_stay: bool) -> Term:
    selector = term.namespace_selector
    if selector is None or not selector.requirements:
        return term
    chosen = frozenset(namespace.name for namespace in namespaces if selector.matches(namespace.labels))
    return msgspec.structs.replace(
        term, namespaces=term.namespaces | chosen, namespace_selector=selector if selectors_stay else None
    )


def matches_all(terms: Terms, pod: Pod) -> bool:
    """Whether there are terms and the pod matches each; its namespace's labels are not looked up."""
    return bool(terms) and all(term.matches(pod.labels, pod.namespace) for term in terms)


class Incoming:
    """What a cycle needs to know of the pod being scheduled; ``name`` gives the tallies their names."""

    __slots__ = ("_names", "_signatures", "anti_affinity_by_key", "matches_itself", "namespace_labels", "pod", "terms")

    def __init__(self, pod: Pod, namespaces: dict[str, Namespace], *, selectors_stay: bool = True) -> None:
        own = namespaces.get(pod.namespace)
        self.pod = pod
        self.namespace_labels: Labels = NO_LABELS if own is None else own.labels
        self.terms = PodTerms.of(pod).resolved(namespaces.values(), selectors_stay=selectors_stay)
        self.matches_itself = matches_all(self.terms.affinity, pod)
        self.anti_affinity_by_key = {
            key: tuple(term for term in self.terms.anti_affinity if term.topology_key == key)
            for key in topology_keys(self.terms.anti_affinity)
        }
        identity = repr((pod.namespace, sorted(pod.labels.items()), sorted(self.namespace_labels.items())))
        self._signatures = {
            "existing": identity,
            "affinity": _signature(self.terms.affinity),
            "anti-affinity": _signature(self.terms.anti_affinity),
            "scores": identity + _signature(self.terms.preferred),
        }
        self._names: dict[tuple[str, str, str], str] = {}

    def name(self, kind: str, topology_key: str = "", more: str = "") -> str:
        """The name of a tally that depends on this pod's namespace and labels or terms, as ``kind`` says."""
        name = self._names.get((kind, topology_key, more))
        if name is None:
            name = f"InterPodAffinity/{kind}/{topology_key}/{more}/{self._signatures[kind]}"
            self._names[kind, topology_key, more] = name
        return name

    def is_selected_by(self, term: Term) -> bool:
        """Whether a placed pod's term matches the incoming pod."""
        return term.matches(self.pod.labels, self.pod.namespace, self.namespace_labels)


def _signature(terms: Terms) -> str:
    """A text that is equal for equal terms."""
    return repr([
        (t.topology_key, t.selector, sorted(t.namespaces), t.namespace_selector, t.weight) for t in terms
    ])  # fmt: skip


def topology_keys(terms: Iterable[Term]) -> tuple[str, ...]:
    """Topology keys of the terms, each once, in order."""
    return tuple(dict.fromkeys(term.topology_key for term in terms))


def selected_by(terms: Terms, classes: PodClasses, first: int) -> Iterable[PodClass]:
    """Of the classes from id ``first`` on all that any of the terms matches, perhaps with others and perhaps twice."""
    for term in terms:
        yield from classes.selected(term.selector, first)


class TermIndex:
    """The terms of all pod classes, read once per class. ``n_classes`` have been read, ``n_with_terms`` have any."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.n_classes = 0
        self._terms: dict[int, PodTerms] = {}
        self._by_label: dict[Label, list[PodClass]] = {}
        self._by_none: list[PodClass] = []

    @property
    def n_with_terms(self) -> int:
        """See above."""
        return len(self._terms)

    def sync(self) -> None:
        """Read the classes that are new."""
        classes = self._cluster.classes.all
        if self.n_classes == len(classes):
            return
        for cls in classes[self.n_classes :]:
            if cls.example.affinity is not None:
                self._read(cls)
        self.n_classes = len(classes)

    def of(self, cls: PodClass) -> PodTerms | None:
        """The terms of a class, None where it has none."""
        if cls.id >= self.n_classes:  # a tally made by another profile's plugin may ask before that one had its turn
            self.sync()
        return self._terms.get(cls.id)

    def selecting(self, labels: Labels, first: int) -> Iterable[PodClass]:
        """Of the classes from id ``first`` on all with a term that matches a pod with these labels, perhaps with others
        and perhaps twice."""
        self.sync()
        yield from from_id(self._by_none, first)
        for label in labels.items():
            yield from from_id(self._by_label.get(label, ()), first)

    def _read(self, cls: PodClass) -> None:
        terms = PodTerms.of(cls.example)
        if not any(terms.kinds):
            return
        self._terms[cls.id] = terms
        selectors = [term.selector for kind in terms.kinds for term in kind if term.selector is not None]
        for labels in dict.fromkeys(map(labels_of_any, selectors)):
            if labels is None:
                self._by_none.append(cls)
                continue
            for label in labels:
                self._by_label.setdefault(label, []).append(cls)


class DomainMap:
    """The domains of each topology key, kept until a node object changes."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._known: GenerationMemo[Domains] = GenerationMemo()

    def of(self, topology_key: str) -> Domains:
        """The domains of the key, in which every node takes part."""
        generation = self.cluster.table.static_generation
        return self._known.get(generation, topology_key, lambda: Domains(self.cluster, topology_key))

    def sums(self, topology_key: str, name: str, weight_of: WeightOf, among: Among) -> DomainSums:
        """Sums of the weights of placed pods by domain; see Domains.sums."""
        return self.of(topology_key).sums(self.cluster, name, weight_of, among)
