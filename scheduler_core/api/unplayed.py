"""What an input holds besides the objects that a run plays: what decides in a real cluster, and what was refused there.

Nothing of it changes a decision, but for pods that the input itself says were refused by admission: none is made up for
them. Answers name it as doubts.
"""

from __future__ import annotations

from typing import Any

import msgspec


class UnplayedObject(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An object that decides in a real cluster and is not played. ``facts`` are the few values of it that answers
    name, such as minMember of a gang; which ones there are depends on the kind (manifests/kinds/unplayed.py).
    ``fields`` is the part of the object that groups of nodes are read from, as written; empty for other kinds, for an
    object that holds too much, and in what was stored before they were kept."""

    api_version: str
    kind: str
    namespace: str = ""
    name: str
    facts: dict[str, str] = {}
    fields: dict[str, Any] = {}

    @property
    def reference(self) -> str:
        """apiVersion/Kind/namespace/name."""
        return f"{self.api_version}/{self.kind}/{self.namespace}/{self.name}"

    @property
    def title(self) -> str:
        """How people call it: "ResourceQuota team/compute"."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


class RefusedCreation(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """That a workload's pods were refused by admission, as a condition or an event of the input says.

    ``code`` is that of the cause, ``quota`` the name of the quota where the ``message`` has one."""

    kind: str
    namespace: str
    name: str
    code: str
    message: str
    quota: str = ""
    source: str = "condition"

    @property
    def why(self) -> str:
        """Who refuses the pods, in a few words; the message has more."""
        if self.quota:
            return f"quota {self.quota} refuses them"
        who = {"NOT_CREATED_LIMIT_RANGE": "a limit range", "NOT_CREATED_RUNTIME_CLASS": "a runtime class"}
        return f"{who.get(self.code, 'admission')} refuses them"


class InputGap(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What the form of an input cannot hold (docs/inputs.md): a sentence, the ``kind`` of object that lacks it, the
    ``plugins`` whose rules are missing for it, the ``command`` that shows it, and the ``objects`` that it is about, as
    apiVersion/Kind/namespace/name; none where it is about all."""

    code: str
    text: str
    kind: str = "Pod"
    plugins: tuple[str, ...] = ()
    concerns: str = "placement"
    command: str = ""
    objects: tuple[str, ...] = ()


class Unplayed(msgspec.Struct, kw_only=True):
    """All of it: ``objects`` in the order of the input, a limited number of each kind, with ``counts``
    of all by apiVersion and kind; ``refused`` by events. What follows from objects that are read: ``rollouts`` under
    way, ``parts`` of objects that are not played, and how many nodes run which version.
    ``heeds_refusals``: no pods were made up that admission refused.
    ``gaps``: what the forms of the input cannot hold; ``said``, where there are some or no node is there: the last
    message of the real scheduler about each pod that waits (namespace/name), "" where only a condition says so."""

    objects: list[UnplayedObject] = []
    counts: dict[str, int] = {}
    refused: list[RefusedCreation] = []
    rollouts: list[UnplayedObject] = []
    parts: list[UnplayedObject] = []
    versions: dict[str, int] = {}
    heeds_refusals: bool = False
    gaps: list[InputGap] = []
    said: dict[str, str] = {}


def encoded(unplayed: Unplayed) -> bytes:
    """What cannot be read again from the objects beside it."""
    return msgspec.json.encode(msgspec.structs.replace(unplayed, rollouts=[], parts=[], versions={}))


def decoded(data: bytes) -> Unplayed:
    """The same again. Raises msgspec.MsgspecError."""
    return msgspec.json.decode(data, type=Unplayed)
