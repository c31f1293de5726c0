"""Declared extenders from YAML or JSON, checked, with positions.

    extenders:
    - filter:
      - {nodes: {matchLabels: {disk: hdd}}, refuse: the disk is too slow, resolvable: false}
      prioritize:
      - {nodes: {matchLabels: {zone: a}}, score: 10}
      preempt:
      - {victims: {matchLabels: {critical: "true"}}, then: spare}
      bind:
      - {pods: {matchLabels: {app: db}}, refuse: no volume left}

The first entry answers for the first extender of the configuration, and so on. A rule of any verb may also say
``fail: timeout``, ``fail: closed`` or ``fail: 500`` instead, with ``pods`` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, cast

from scheduler_core.api.config import Extender
from scheduler_core.api.labels import LabelSelector
from scheduler_core.extenders.calls import CLOSED, TIMEOUT, VERBS
from scheduler_core.extenders.declared.rules import (
    EVERY,
    BindRule,
    DeclaredExtender,
    Failure,
    FilterRule,
    ScoreRule,
    VictimRule,
)
from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.manifests.kinds.selectors import label_selector
from scheduler_core.manifests.model import Finding, Limits, LoadError, ManifestSource, quoted
from scheduler_core.manifests.text_findings import finding_of_error, findings_of_sink, read_text_documents

KIND = "declared extenders"
MAX_RULES = 10_000
_INT64 = (-(1 << 63), (1 << 63) - 1)
_FIELDS = {
    "filter": ("nodes", "pods", "refuse", "accept", "resolvable"),
    "prioritize": ("nodes", "pods", "score"),
    "preempt": ("nodes", "pods", "victims", "then"),
    "bind": ("nodes", "pods", "refuse", "accept"),
}
_FAILURE = ("pods", "fail")
_THEN = ("spare", "dropNode", "evict")
_STATUSES = range(100, 600)
_WITH_ALL_VERBS = Extender(filter_verb="f", prioritize_verb="s", preempt_verb="p", bind_verb="b")


def read_declared(
    source: ManifestSource, extenders: Sequence[Extender] | None
) -> tuple[tuple[DeclaredExtender, ...] | None, list[Finding]]:
    """The rules in a file for these extenders of a configuration, None where there is an error, and the findings.

    Without a configuration (None) there may be any number of extenders, with rules for any verb.
    """
    limits = Limits(max_bytes=4 << 20, max_json_values=200_000, max_yaml_nodes=200_000, max_alias_weight=20_000)
    try:
        documents, positions = read_text_documents(source, limits)
    except LoadError as problem:
        return None, [finding_of_error(problem, source.name, KIND)]
    sink = Sink()
    number, raw = documents[0] if documents else (0, None)
    if len(documents) != 1:
        At(None, (), sink).error(f"there are {len(documents)} documents in the file; one is needed, with extenders")
    declared = _declared(At(raw, (), sink), extenders) if len(documents) == 1 else ()
    return None if sink.failed else declared, findings_of_sink(sink, source.name, KIND, positions, number)


def _declared(at: At, extenders: Sequence[Extender] | None) -> tuple[DeclaredExtender, ...]:
    at.mapping(("extenders",))
    entries = at.get("extenders")
    items = entries.items()
    if extenders is None:
        if not entries.present:
            entries.error("is missing. Write extenders: and under it a dash per extender, with rules by verb")
        extenders = [_WITH_ALL_VERBS] * len(items)
    if len(items) != len(extenders) and not (entries.present and not isinstance(entries.raw, list)):
        entries.error(f"{len(items)} are declared; the configuration has {len(extenders)} extenders, in the same order")
        return ()
    n_rules = sum(len(item.get(verb).raw) for item in items for verb in VERBS if isinstance(item.get(verb).raw, list))
    if n_rules > MAX_RULES:
        entries.error(f"there are {n_rules:,} rules; {MAX_RULES:,} are allowed")
        return ()
    return tuple(_extender(item, extender) for item, extender in zip(items, extenders, strict=False))


def _extender(at: At, extender: Extender) -> DeclaredExtender:
    at.mapping(VERBS)
    values: dict[str, Any] = {}
    failures: dict[str, tuple[Failure, ...]] = {}
    for verb in VERBS:
        rules = at.get(verb)
        if rules.present and not getattr(extender, f"{verb}_verb"):
            rules.error(f"the configuration has no {verb}Verb for this extender: nobody would ask")
        items = rules.items()
        failures[verb] = tuple(_failure(item) for item in items if _is_failure(item))
        values[verb] = tuple(_READERS[verb](item) for item in items if not _is_failure(item))
    return DeclaredExtender(**values, failures=failures)


def _is_failure(at: At) -> bool:
    return isinstance(at.raw, dict) and "fail" in at.raw


def _failure(at: At) -> Failure:
    at.mapping(_FAILURE)
    pods, fail = _selector(at.get("pods")), at.get("fail")
    if fail.raw in (TIMEOUT, CLOSED):
        return Failure(pods=pods, fault=str(fail.raw))
    if type(fail.raw) is int and fail.raw in _STATUSES and fail.raw != 200:
        return Failure(pods=pods, status=fail.raw)
    fail.error(f"{quoted(fail.raw)} is no failure. Write {TIMEOUT}, {CLOSED} or an HTTP status other than 200")
    return Failure(pods=pods)


def _filter_rule(at: At) -> FilterRule:
    at.mapping(_FIELDS["filter"])
    return FilterRule(
        nodes=_selector(at.get("nodes")),
        pods=_selector(at.get("pods")),
        refuse=_refusal(at),
        resolvable=at.get("resolvable").boolean(True),
    )


def _score_rule(at: At) -> ScoreRule:
    at.mapping(_FIELDS["prioritize"])
    score = at.get("score")
    if not score.present:
        score.error("is missing. Write a whole number; kube-scheduler expects 0 to 10 and takes any")
    return ScoreRule(nodes=_selector(at.get("nodes")), pods=_selector(at.get("pods")), score=score.integer(0, *_INT64))


def _victim_rule(at: At) -> VictimRule:
    at.mapping(_FIELDS["preempt"])
    then = at.get("then").text("evict", _THEN, required=True)
    return VictimRule(
        nodes=_selector(at.get("nodes")),
        pods=_selector(at.get("pods")),
        victims=_selector(at.get("victims")),
        then=cast(Literal["spare", "dropNode", "evict"], then),
    )


def _bind_rule(at: At) -> BindRule:
    at.mapping(_FIELDS["bind"])
    return BindRule(nodes=_selector(at.get("nodes")), pods=_selector(at.get("pods")), refuse=_refusal(at))


def _refusal(at: At) -> str:
    """The text of a rule that refuses, empty for one that accepts; one of both has to be there."""
    refuse, accept = at.get("refuse"), at.get("accept")
    if accept.present:
        if refuse.present:
            accept.error("a rule either refuses or accepts")
        if accept.boolean(True) is False:
            accept.error("write refuse with a text instead")
        return ""
    return refuse.text(required=True)


def _selector(at: At) -> LabelSelector:
    selector = label_selector(at)
    return EVERY if selector is None else selector


_READERS = {"filter": _filter_rule, "prioritize": _score_rule, "preempt": _victim_rule, "bind": _bind_rule}
