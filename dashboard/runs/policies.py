"""The policies of a run as form fields: their values in words, and the conversion in both directions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from scheduler_core.simulate import Policies, read_rules
from scheduler_core.versions.trains import NAMES, TRAINS, VersionError, find_train

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

POLICIES: dict[str, list[tuple[str, str]]] = {
    "node_search": [("all", "look at every node"), ("configured", "stop early, as percentageOfNodesToScore says")],
    "draw": [
        ("seeded", "draw by the seed"),
        ("smallest", "take the smallest name"),
        ("reservoir", "draw by the seed, as a reservoir of one"),
    ],
    "preemption_candidates": [("configured", "as many as configured"), ("all", "all nodes that could help")],
    "victims": [("grace", "leave after their grace period"), ("at_once", "leave at once")],
    "attempt_order": [("queue", "as the queue says"), ("listed", "as listed, each pod once")],
    "queue": [("hints", "with queueing hints (v1.34)"), ("move-cycle", "with move-request cycles (2021)")],
    "event_names": [("current", "as in v1.34"), ("of_2021", "as in the queue of 2021")],
    "terminating": [("leave", "leave at their deletion time"), ("stay", "stay")],
    "owners": [("keep", "replace their pods"), ("ignore", "replace none")],
    "node_loss": [("pods_go", "its pods are lost with it"), ("pods_stay", "its pods stay bound to it")],
    "claims": [("play", "are made, freed and deleted by their controller"), ("ignore", "stay as inputs have them")],
    "quotas": [("play", "refuse new pods beyond them"), ("ignore", "are not played")],
    "limit_ranges": [("play", "fill in new pods, and refuse them"), ("ignore", "are not played")],
    "rollouts": [("play", "play updates, scale-downs and Jobs as v1.34"), ("ignore", "only replace what is lost")],
    "decided": [("hold", "keep the room that they wait with"), ("ignore", "are tried as all others")],
}
# What a new run stores even where nobody names it, beside the version that its cluster runs. Runs of
# before did without, and their inputs do not say so.
OF_NEW_RUNS = {"decided": "hold", "claims": "play", "rollouts": "play", "quotas": "play", "limit_ranges": "play"}
OF_OLD_RUNS = dict.fromkeys(OF_NEW_RUNS, "ignore")
# {policy: (field, value in the policy of one of the field's unit: microseconds, or pods)}.
TIMES = {
    "cycle_us": ("cycle_ms", 1_000),
    "binding_us": ("binding_ms", 1_000),
    "unschedulable_stay_us": ("stay_s", 1_000_000),
    "job_running_us": ("job_s", 1_000_000),
    "max_replacements": ("max_replacements", 1),
}
WORDS = {
    "cycle_ms": "cycles of",
    "binding_ms": "bindings of",
    "stay_s": "unschedulable stay",
    "job_s": "pods of Jobs run",
    "max_replacements": "at most",
}
# Policies of a run that schedules one bound pod again; the form has no fields for them.
DECIDED_AGAIN = {"decide_anew": "decides {} again", "without_younger": "without pods that are younger"}
# The policy beside the field for the profile of other schedulers' pods.
OTHERS = "other_schedulers"
# The policies that say which version is followed, with their fields; (value, words) of versions, newest first.
VERSION_FIELDS = ("kubernetes", "gates")
VERSIONS = [(name, f"{TRAINS[name].label}, {TRAINS[name].evidence}") for name in reversed(NAMES)]
BEFORE_VERSIONS = "1.34, as before versions were named"
# The policy of rules of kubelets, a field of JSON.
KUBELETS = "kubelets"
# What decides in runs that name no version; forms have no field for it.
OF_NO_VERSION = {"taint_message": "plain"}
VERSION_WORDS = {"kubernetes": "Kubernetes", "gates": "gates"}
_ORDER = {name: place for place, name in enumerate(dict.fromkeys((*VERSION_FIELDS, *Policies.__struct_fields__)))}
FOR_EVER = "pods of Jobs run for ever"
FIELDS = (*POLICIES, *(field for field, _ in TIMES.values()), KUBELETS)
USUAL = {name: options[0][0] for name, options in POLICIES.items()} | {
    "cycle_ms": "1",
    "binding_ms": "5",
    "stay_s": "",
    "job_s": "60",
    "max_replacements": "100",
    KUBELETS: "",
}


def policy_fields(policies: Mapping[str, Any]) -> dict[str, str]:
    """Return {field: value} of policies as a preset has them."""
    out = {}
    for name, value in policies.items():
        field, unit = TIMES.get(name, (name, 0))
        if name == KUBELETS:
            out[field] = rules_text(value or ())
        else:
            out[field] = f"{value / unit:g}" if unit else str(value)
    return out


def rules_text(rules: Sequence[Mapping[str, Any]]) -> str:
    """Return rules of kubelets as a JSON list, a rule on each line; "" for none."""
    lines = ",\n ".join(json.dumps(rule, ensure_ascii=False) for rule in rules)
    return f"[{lines}]" if rules else ""


def plain_rules(text: str) -> list[dict[str, Any]]:
    """Return the rules of a JSON list as they are stored; raises ValueError that names the rule and its field."""
    rules: list[dict[str, Any]] = to_builtins(list(read_rules(text)))
    return rules


def rules_words(text: str) -> str:
    """Return the rules of a JSON list in words: "app=web: ready after 30 s; every pod: grace 5 s"."""
    return "; ".join(rule.text for rule in read_rules(text))


def form_policies(cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """Return {policy: value} of a form's cleaned fields; an empty time is None."""
    times = {name: (cleaned[field], unit) for name, (field, unit) in TIMES.items()}
    rules = {KUBELETS: cleaned[KUBELETS]} if cleaned.get(KUBELETS) else {}
    return (
        {name: cleaned[name] for name in POLICIES}
        | rules
        | {name: None if value is None else int(value * unit) for name, (value, unit) in times.items()}
    )


def own_words(policies: Mapping[str, Any]) -> list[str]:
    """Return the stored policies that differ from their defaults, each as a phrase: "draw reservoir". The version comes
    first; databases keep no order of their own."""
    names = sorted(policies, key=lambda name: _ORDER.get(name, len(_ORDER)))
    fields = policy_fields({name: policies[name] for name in names if policies[name] is not None})
    usual = {**USUAL, **OF_NO_VERSION, "kubernetes": "", "gates": ""}
    phrases = [_phrase(name, value) for name, value in fields.items() if value != usual.get(name)]
    return phrases + ([FOR_EVER] if "job_running_us" in policies and policies["job_running_us"] is None else [])


def _phrase(field: str, value: str) -> str:
    if field in VERSION_WORDS:
        return f"{VERSION_WORDS[field]} {value}"
    if field == KUBELETS:
        return f"kubelets, {rules_words(value)}"
    if field == OTHERS:
        return f"pods of other schedulers {value}"
    if field in DECIDED_AGAIN:
        return DECIDED_AGAIN[field].format(value)
    unit = f" {field.rpartition('_')[2]}" if field not in POLICIES else ""
    return f"{WORDS.get(field, field.replace('_', ' '))} {value.replace('_', ' ')}{unit}"


def train_name(version: str) -> str:
    """Return the name of a version's train as forms have it; other texts, "" among them, stay as they are."""
    try:
        return find_train(version).name
    except VersionError:
        return version


def version_words(policies: Mapping[str, Any]) -> str:
    """Return what a run follows: "1.36, measured against 1.36.2, with NodeDeclaredFeatures=false"."""
    version, gates = str(policies.get("kubernetes", "")), str(policies.get("gates", ""))
    if not version:
        return BEFORE_VERSIONS
    return f"{dict(VERSIONS).get(train_name(version), version)}{f', with {gates}' if gates else ''}"
