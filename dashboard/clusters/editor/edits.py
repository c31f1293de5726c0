"""Edits of single objects: text checked in the context of its cluster, and common edits of nodes."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
from msgspec.structs import replace

from dashboard.clusters.revisions.object_keys import Key, Raw, checked_form
from dashboard.clusters.yaml_text import EDITOR, MAX_TEXT, MAX_TEXT_VALUES
from scheduler_core.manifests import Finding, Limits, ManifestSource, load_cluster
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class Edit:
    """A change of one object: `key` None adds, `manifest` None deletes, both replace (and rename where they differ)."""

    key: Key | None
    manifest: Raw | None


@dataclass(frozen=True)
class Checked:
    """The objects of a text, in their stored form, and the findings."""

    manifests: list[Raw]
    findings: list[Finding] = field(default_factory=list)

    @property
    def errors(self) -> list[Finding]:
        """Return the findings that prevent saving."""
        return [finding for finding in self.findings if finding.severity == "error"]


class HasManifests(Protocol):
    """Anything with manifests by key: the contents of a cluster, or the part that admission reads."""

    @property
    def by_key(self) -> Mapping[Key, Raw]:
        """Return the manifests by key."""


def check_text(text: str, contents: HasManifests | None = None, edited: Key | None = None) -> Checked:
    """Return the objects of an editor's text, checked as objects of the cluster; `edited` is the object that it
    replaces.
    """
    context = [raw for key, raw in _context(contents) if key != edited]
    sources = [ManifestSource(EDITOR, text.encode())]
    limits = Limits(
        max_bytes=MAX_TEXT, max_yaml_nodes=MAX_TEXT_VALUES, max_json_values=MAX_TEXT_VALUES, max_findings=200
    )
    if context:
        beside = msgspec.json.encode({"kind": "List", "apiVersion": "v1", "items": context})
        sources.insert(0, ManifestSource("the cluster", beside))
        most = max(MAX_TEXT_VALUES, beside.count(b",") + beside.count(b"{") + beside.count(b"["))
        limits = replace(limits, max_bytes=MAX_TEXT + len(beside), max_json_values=most)
    loaded = load_cluster(sources, limits, is_whole=False)
    manifests = [manifest for manifest in loaded.manifests if manifest.source == EDITOR]
    findings = [finding for finding in loaded.findings if finding.source == EDITOR]
    if not manifests and not any(finding.severity == "error" for finding in findings):
        passed = ", ".join(sorted(loaded.passed_over))
        problem = f"{passed} is not read by the engine, nor kept" if passed else "there is no object in the text"
        findings = [Finding(severity="error", source=EDITOR, message=f"{problem}. Write apiVersion, kind and metadata")]
    return Checked(checked_form(manifests), findings)


def _context(contents: HasManifests | None) -> Iterable[tuple[Key, Raw]]:
    return ((key, contents.by_key[key]) for key in contents.by_key if key.kind in CONTEXT_KINDS) if contents else ()


# ---------------------------------------------------------------- nodes


@dataclass(frozen=True)
class NodeChange:
    """A common edit of nodes (cordon, uncordon, taint, untaint, label or unlabel) with its parameters."""

    what: str
    key: str = ""
    value: str = ""
    effect: str = "NoSchedule"

    @property
    def text(self) -> str:
        """Return the edit as the name of an operation, without the nodes."""
        pair = f"{self.key}={self.value}" if self.value else self.key
        return {
            "cordon": "Cordon",
            "uncordon": "Uncordon",
            "taint": f"Taint {pair}:{self.effect} on",
            "untaint": f"Remove taint {self.key}{':' + self.effect if self.effect else ''} from",
            "label": f"Label {pair} on",
            "unlabel": f"Remove label {self.key} from",
        }[self.what]


NODE_CHANGES = ("cordon", "uncordon", "taint", "untaint", "label", "unlabel")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def change_node(raw: Raw, change: NodeChange) -> Raw:
    """Return a changed copy of the node's manifest."""
    node = copy.deepcopy(raw)
    if change.what in ("label", "unlabel"):
        _change_labels(mapping_in(node, "metadata"), change)
        return node
    spec = mapping_in(node, "spec")
    if change.what in ("taint", "untaint"):
        _change_taints(spec, change)
    else:
        spec.pop("unschedulable", None)
        if change.what == "cordon":
            spec["unschedulable"] = True
    if not spec and "spec" not in raw:
        del node["spec"]
    return node


def _change_labels(metadata: Raw, change: NodeChange) -> None:
    if change.what == "label":
        mapping_in(metadata, "labels")[change.key] = change.value
    elif isinstance(metadata.get("labels"), dict):
        metadata["labels"].pop(change.key, None)


def _change_taints(spec: Raw, change: NodeChange) -> None:
    def is_meant(taint: Any) -> bool:
        fits = isinstance(taint, dict) and taint.get("key") == change.key
        return fits and (not change.effect or taint.get("effect") == change.effect)

    remaining = [taint for taint in spec.get("taints") or [] if not is_meant(taint)]
    if change.what == "taint":
        taint = {"key": change.key, "effect": change.effect}
        remaining.append({**taint, "value": change.value} if change.value else taint)
    spec.pop("taints", None)
    if remaining:
        spec["taints"] = remaining


def mapping_in(parent: Raw, name: str) -> Raw:
    """Return the mapping at a name, put there where there is none."""
    if not isinstance(parent.get(name), dict):
        parent[name] = {}
    mapping: Raw = parent[name]
    return mapping
