"""Revisions of StatefulSets and DaemonSets: which template a pod was made from.

A pod names its revision by the label ``controller-revision-hash``; one without it has the revision that its owner had
at the start.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from scheduler_core.api.objects import Pod

REVISION = "controller-revision-hash"


class Revisions(msgspec.Struct):
    """The revisions of a StatefulSet or DaemonSet: hashes of the templates from the oldest on. ``current`` is the one
    that pods below the partition keep, ``update`` that of the present template, ``first`` that of pods without the
    label. ``of_input`` is the label that pods of the inputs have whose revision is ``first``: a cluster names its
    revisions by hashes of its own."""

    hashes: list[str] = []
    current: str = ""
    update: str = ""
    first: str = ""
    of_input: str = ""

    def take(self, template_hash: str) -> None:
        """Note the hash of the present template."""
        if template_hash not in self.hashes:
            self.hashes.append(template_hash)
        self.update = template_hash
        self.current = self.current or template_hash
        self.first = self.first or template_hash

    def of(self, pod: Pod) -> str:
        """The revision of a pod."""
        label = pod.labels.get(REVISION, self.first)
        return self.first if self.of_input and label == self.of_input else label


def with_revision(template: Pod, revision: str) -> Pod:
    """The template with the label of its revision."""
    return replace(template, labels={**template.labels, REVISION: revision})
