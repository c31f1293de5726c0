"""Labels of the debugger: lanes, causes, criteria, and what each status means in colour."""

from __future__ import annotations

from scheduler_core.profiles.obstacle_kinds import waking_events
from scheduler_core.recording.vocabulary import DRAW, ONLY, Code, address_of_extender, is_extender

CODE_WORDS: dict[int, str] = {
    Code.SUCCESS: "ok",
    Code.ERROR: "error",
    Code.UNSCHEDULABLE: "refused",
    Code.UNSCHEDULABLE_AND_UNRESOLVABLE: "unresolvable",
    Code.WAIT: "wait",
    Code.SKIP: "skipped",
    Code.PENDING: "pending",
}
CODE_MEANINGS: dict[int, str] = {
    Code.SUCCESS: "bound",
    Code.ERROR: "error",
    Code.UNSCHEDULABLE: "unsched",
    Code.UNSCHEDULABLE_AND_UNRESOLVABLE: "unres",
    Code.WAIT: "wait",
    Code.SKIP: "none",
    Code.PENDING: "wait",
}

OUTCOMES = {
    "scheduled": ("bound", "scheduled"),
    "unschedulable": ("unsched", "unschedulable"),
    "error": ("error", "error"),
    "skipped": ("none", "skipped"),
}

CRITERION_LABELS = {
    "fewest_violations": "Fewest PDB violations",
    "lowest_highest_priority": "Lowest highest victim priority",
    "lowest_priority_sum": "Smallest sum of victim priorities",
    "fewest_victims": "Fewest victims",
    "latest_start": "Latest start of the highest victim",
    DRAW: "Draw among equals",
    ONLY: "Only candidate",
}

LANES = {
    "active": "activeQ",
    "backoff": "backoffQ",
    "error_backoff": "backoffQ after an error",
    "unschedulable": "unschedulable pods",
    "gated": "gated",
    "in_flight": "in flight",
    "": "outside of the queue",
}


def short_plugin(name: str) -> str:
    """Return a plugin's name where there is little room: of an extender the host of its address."""
    if is_extender(name):
        address, _, number = address_of_extender(name).partition(" ")
        return f"{address.partition('//')[2].partition('/')[0] or address} {number}".strip()
    return name.replace("NodeResourcesBalanced", "Balanced")


OWN_EVENTS = "the events that the plugin registered for"

# Causes of queue moves that are no cluster events, in words; kube-scheduler's names stand beside them.
_MOVE_CAUSES = {
    "UnschedulablePodAdd": "after its creation",
    "UnschedulablePodUpdate": "after a change of the pod itself",
    "ScheduleAttemptFailure": "after its failed attempt",
    "BackoffComplete": "after its backoff",
    "PopFromBackoffQ": "since activeQ was empty",
    "UnschedulableTimeout": "by the timer for unschedulable pods",
    "Done": "after its binding",
}


def event_words(event: str) -> str:
    """Return the cause of a queue move: kube-scheduler's name, in words too where the name alone misleads."""
    label = _MOVE_CAUSES.get(event)
    return f"{label} ({event})" if label else f"woken by {event}"


def wakes(plugins: tuple[str, ...]) -> str:
    """Return the events that would wake a pod refused by these plugins, joined: "Node add, Pod delete"."""
    events = [event for plugin in plugins for event in waking_events(plugin) or (OWN_EVENTS,)]
    return ", ".join(dict.fromkeys(events))


def split_key(key: str) -> tuple[str, str]:
    """Return (namespace, name) of a pod's key."""
    namespace, _, name = key.rpartition("/")
    return namespace, name


def listed(names: list[str]) -> str:
    """Return names as a sentence lists them: "a", "a and b", "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
