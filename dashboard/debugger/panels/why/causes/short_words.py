"""An obstacle in two short words, for the head of a column or a stage: "taint" and "control-plane"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scheduler_core.explain.diagnosis.model import Obstacle

# {code: what stands above the value}; a code without an entry says itself.
HEADS = {
    "GATED": "gate",
    "OTHER_SCHEDULER": "another's pod",
    "UNKNOWN_SCHEDULER": "no such name",
    "NO_NODES": "no node",
    "NODE_NAME": "node name",
    "FEATURE_NOT_DECLARED": "missing feature",
    "CORDONED": "cordoned",
    "TAINT_UNTOLERATED": "taint",
    "TAINT_NODE_CONDITION": "condition",
    "SELECTOR_NO_MATCH": "selector",
    "AFFINITY_NO_MATCH": "node affinity",
    "AFFINITY_ENFORCED": "added affinity",
    "SHORT_CPU": "short of",
    "SHORT_MEMORY": "short of",
    "SHORT_EPHEMERAL": "short of",
    "SHORT_RESOURCE": "short of",
    "SHORT_PODS": "full of",
    "TOO_LARGE": "too large",
    "NOT_OFFERED": "not offered",
    "PORT_TAKEN": "port taken",
    "SPREAD_SKEW": "spread by",
    "SPREAD_KEY_MISSING": "lacks label",
    "SPREAD_MIN_DOMAINS": "too few of",
    "AFFINITY_NO_POD": "no pod with",
    "AFFINITY_KEY_MISSING": "lacks label",
    "ANTI_AFFINITY_OWN": "anti-affinity",
    "ANTI_AFFINITY_OF_OTHERS": "affinity of others",
    "CLAIM_MISSING": "claim missing",
    "CLAIM_UNBOUND_IMMEDIATE": "claim unbound",
    "CLAIM_NOT_ALLOCATED": "claim",
    "VOLUME_TOPOLOGY": "volume of",
    "VOLUME_NODE_GONE": "node gone of",
    "VOLUME_NO_MATCH": "no volume for",
    "VOLUME_LIMIT": "volume limit",
    "VOLUME_EXCLUSIVE": "in use",
    "STORAGE_CAPACITY": "storage full",
    "PERMIT_WAITS": "waits",
    "PREBIND_WAITS": "waits",
    "PERMIT_REJECTED": "rejected",
    "NOMINATED_WAITS": "clearing",
    "NOT_CREATED_QUOTA": "quota",
    "NOT_CREATED_LIMIT_RANGE": "limit range",
    "NOT_CREATED_RUNTIME_CLASS": "class",
    "NOT_CREATED_ADMISSION": "refused",
    "NOT_CREATED_STRATEGY": "strategy",
}
# The need that tells two obstacles of a code apart, the first that there is.
TELLING = ("topologyKey", "labelSelector", "name")
# What a value without a name of its own says by its head.
BARE = ("CORDONED", "NO_NODES", "OTHER_SCHEDULER", "UNKNOWN_SCHEDULER", "GATED", "NOMINATED_WAITS")


def head_of(code: str) -> str:
    """Return what kind of obstacle it is: "short of", "taint"."""
    return HEADS.get(code) or code.replace("_", " ").lower()


def value_of(obstacle: Obstacle) -> str:
    """Return what tells it apart from others of its kind, cut to what its last part says: "cpu", "control-plane"."""
    if obstacle.code in BARE:
        return ""
    if obstacle.code == "AFFINITY_NO_POD":
        return _tail(obstacle.needs.get("labelSelector", ""))
    telling = next((obstacle.needs[name] for name in TELLING if name in obstacle.needs), "")
    if telling:
        return _tail(telling)
    if obstacle.needs:
        key, value = next(iter(obstacle.needs.items()))
        return f"{_tail(key)}={value}"
    return _tail(obstacle.subject)


def _tail(text: str) -> str:
    """ "node-role.kubernetes.io/control-plane:NoSchedule" gives "control-plane" """
    return text.partition(":")[0].rpartition("/")[2]
