"""The text of an object in an editor: as people wrote it where that is known; checked in the context of its cluster."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from dashboard.clusters.revisions.object_keys import canonical, canonical_text, checked_form, object_key
from dashboard.clusters.texts import store
from dashboard.clusters.yaml_text import EDITOR, MAX_TEXT, MAX_TEXT_VALUES
from scheduler_core.manifests import Finding, Limits, ManifestSource, load_cluster
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from dashboard.clusters.models import Cluster
    from dashboard.clusters.revisions.object_keys import Key, Raw
    from dashboard.clusters.revisions.page_context import PageContext
    from dashboard.clusters.texts.changes import Rewritten
    from scheduler_core.versions.fields import FieldVersion


@dataclass(frozen=True)
class Checked:
    """The objects of a text, in their stored form, and the findings."""

    manifests: list[Raw]
    findings: list[Finding] = field(default_factory=list)

    @property
    def errors(self) -> list[Finding]:
        """Return the findings that prevent saving."""
        return [finding for finding in self.findings if finding.severity == "error"]


def check_text(
    text: str,
    objects: Mapping[Key, Raw] | None = None,
    edited: Key | None = None,
    *,
    fields: FieldVersion | None = None,
) -> Checked:
    """Return the objects of an editor's text, checked beside the cluster's `objects`, of which those count that
    admission reads; `edited` is the object that the text replaces. Fields that the version `fields` does not know are
    warnings.
    """
    context = [objects[key] for key in objects if key.kind in CONTEXT_KINDS and key != edited] if objects else []
    sources = [ManifestSource(EDITOR, text.encode())]
    limits = Limits(
        max_bytes=MAX_TEXT, max_yaml_nodes=MAX_TEXT_VALUES, max_json_values=MAX_TEXT_VALUES, max_findings=200
    )
    if context:
        beside = msgspec.json.encode({"kind": "List", "apiVersion": "v1", "items": context})
        sources.insert(0, ManifestSource("the cluster", beside))
        most = max(MAX_TEXT_VALUES, beside.count(b",") + beside.count(b"{") + beside.count(b"["))
        limits = replace(limits, max_bytes=MAX_TEXT + len(beside), max_json_values=most)
    loaded = load_cluster(sources, limits, is_whole=False, fields=fields)
    manifests = [manifest for manifest in loaded.manifests if manifest.source == EDITOR]
    findings = [finding for finding in loaded.findings if finding.source == EDITOR]
    if not manifests and not any(finding.severity == "error" for finding in findings):
        passed = ", ".join(sorted(loaded.passed_over))
        problem = f"{passed} is not read by the engine, nor kept" if passed else "there is no object in the text"
        findings = [Finding(severity="error", source=EDITOR, message=f"{problem}. Write apiVersion, kind and metadata")]
    return Checked(checked_form(manifests), findings)


def written_text(page: PageContext, key: Key, raw: Mapping[str, Any]) -> Rewritten:
    """Return the text of an object of the page."""
    address = store.content_address(canonical_text(page.contents.by_key.stored[key]))
    return store.shown(page.cluster, key, address, raw)


def keep_text(cluster: Cluster, manifests: Sequence[Raw], text: str) -> None:
    """Keep a text that somebody wrote, where it holds just one object."""
    if len(manifests) == 1:
        address = store.content_address(canonical(manifests[0]))
        store.keep(cluster, {object_key(manifests[0]): store.WrittenText(address, text)})
