"""Short ways to write cluster files in tests."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from scheduler_core.manifests import Finding, LoadResult, ManifestSource, load_cluster

if TYPE_CHECKING:
    from scheduler_core.api.objects import ClusterObjects

NODE = """\
apiVersion: v1
kind: Node
metadata: {name: node-a, labels: {kubernetes.io/hostname: node-a, zone: z1}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
"""


def load(*texts: str | bytes, name: str = "file.yaml") -> LoadResult:
    """The result of loading the texts as files."""
    sources = [ManifestSource(name, t if isinstance(t, bytes) else textwrap.dedent(t).encode()) for t in texts]
    return load_cluster(sources)


def objects(*texts: str) -> ClusterObjects:
    """The objects of texts that must have no error."""
    result = load(*texts)
    assert result.errors == []
    return result.objects


def pod_text(spec: str, name: str = "web-0") -> str:
    """A pod whose spec has these lines (indented by nothing) before its container."""
    lines = textwrap.indent(textwrap.dedent(spec).strip(), "  ")
    head = f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\nspec:\n"
    return f"{head}{lines}\n  containers: [{{name: app, image: app:1}}]\n"


def only(result: LoadResult) -> Finding:
    """The one finding of a result."""
    assert len(result.findings) == 1, [f.text() for f in result.findings]
    return result.findings[0]
