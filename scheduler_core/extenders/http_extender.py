"""One extender: which pods it is asked about, what it is sent, and what its replies mean (extender.go, HTTPExtender).

The texts of errors are those of the reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.api.config import Extender
from scheduler_core.api.labels import Labels
from scheduler_core.api.objects import Node, Pod
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.extenders.answers import READERS, FilterAnswer, MetaVictimsAnswer
from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply, without_password
from scheduler_core.extenders.go_json import GoJsonError, NestedTooDeeplyError
from scheduler_core.extenders.requests import Bodies, Body, Replaced
from scheduler_core.framework.contracts.extending.hooks import ExtenderError, NodeReplacement, NodeVictims
from scheduler_core.manifests.writing.objects import read_object

OK = 200
FILTER, PRIORITIZE, PREEMPT, BIND = "filter", "prioritize", "preempt", "bind"


class NodesLeft(msgspec.Struct, frozen=True):
    """What an answer to filter leaves: names in its order, and the nodes themselves where it replaces them."""

    names: list[str]
    replaced: dict[str, NodeReplacement] | None
    failed: Mapping[str, str]
    unresolvable: Mapping[str, str]
    replaces: bool = False


class HTTPExtender:
    """An extender of a configuration. ``name`` is what it is called among plugins, ``index`` its place in the file."""

    def __init__(self, config: Extender, index: int, name: str, cluster: Cluster) -> None:
        self.config = config
        self.index = index
        self.name = name
        self._url = without_password(config.url_prefix)
        self._cluster = cluster
        self._labels = LiveLabels(cluster)
        self._managed = frozenset(resource.name for resource in config.managed_resources)
        self._verbs = {
            FILTER: config.filter_verb,
            PRIORITIZE: config.prioritize_verb,
            PREEMPT: config.preempt_verb,
            BIND: config.bind_verb,
        }

    def has(self, verb: str) -> bool:
        """Whether it takes part in this: filter, prioritize, preempt or bind."""
        return bool(self._verbs[verb])

    def is_interested(self, pod: Pod) -> bool:
        """Whether it is asked about the pod at all (IsInterested): a container names a resource that it manages."""
        if not self._managed:
            return True
        containers = (*pod.init_containers, *pod.containers)
        return any(not self._managed.isdisjoint(one) for c in containers for one in (c.requests, c.limits))

    def call(self, step: int, verb: str, request: Body) -> ExtenderCall:
        """The call of one of its verbs."""
        url = f"{self.config.url_prefix.rstrip('/')}/{self._verbs[verb]}"
        return ExtenderCall(step=step, extender=self.index, verb=verb, url=url, request=request, cluster=self._labels)

    def answer(self, call: ExtenderCall, reply: ExtenderReply) -> Any:
        """The answer in a reply, as extenders.answers reads it. Raises ExtenderError."""
        if fault := reply.fault_text(call):
            raise ExtenderError(fault)
        if reply.status != OK:
            verb = self._verbs[call.verb]
            raise ExtenderError(f"failed {verb} with extender at URL {without_password(call.url)}, code {reply.status}")
        try:
            return READERS[call.verb](reply.body)
        except (GoJsonError, NestedTooDeeplyError) as problem:
            raise ExtenderError(str(problem)) from problem

    # --- filter ----------------------------------------------------------------------------------------------------
    def nodes_left(
        self, answer: FilterAnswer, given: Sequence[str], replaced: Replaced | None, bodies: Bodies
    ) -> NodesLeft:
        """What an answer leaves of the nodes given (Filter). Raises ExtenderError."""
        if answer.error:
            raise ExtenderError(answer.error)
        names: list[str] = []
        nodes: dict[str, NodeReplacement] | None = None
        if self.config.node_cache_capable and answer.node_names is not None:
            names, allowed = answer.node_names, frozenset(given)
            for name in names:
                if name not in allowed:
                    text = f"extender {_quoted(self._url)} claims a filtered node {_quoted(name)} which "
                    raise ExtenderError(f"{text}is not found in the input node list")
            nodes = None if replaced is None else {name: replaced[name] for name in names}
        elif answer.nodes is not None:
            read = [self._replacement(raw, bodies) for raw in answer.nodes]
            names, nodes = [one.node.name for one in read], {one.node.name: one for one in read}
            return NodesLeft(names, nodes, answer.failed, answer.unresolvable, replaces=True)
        return NodesLeft(names, nodes, answer.failed, answer.unresolvable)

    def _replacement(self, raw: Any, bodies: Bodies) -> NodeReplacement:
        """A node as the answer has it, without images: kube-scheduler adds those from its cache, not from the node."""
        body = raw if isinstance(raw, dict) else {}
        metadata = body.get("metadata")
        given = metadata.get("name") if isinstance(metadata, dict) else None
        name = given if isinstance(given, str) else ""
        if name in self._cluster.table.row_of and body == bodies.of_node(name):
            node: Node | None = self._cluster.table.nodes[self._cluster.table.row_of[name]]
        else:
            node = read_object({**body, "apiVersion": "v1", "kind": "Node"}) if name else None
        if node is None:
            which = f"a node in the answer, {_quoted(name)}," if name else "a node without a name, in the answer,"
            raise ExtenderError(f"{which} cannot be read as a node")
        return NodeReplacement(msgspec.structs.replace(node, images=()), body)

    # --- preempt ---------------------------------------------------------------------------------------------------
    def read_victims(self, answer: Mapping[str, MetaVictimsAnswer]) -> dict[str, NodeVictims]:
        """The pods that an answer names (convertToVictims), by node in order of names. Raises ExtenderError."""
        return {node: self._victims_on(node, answer[node]) for node in sorted(answer)}

    def _victims_on(self, node: str, answer: MetaVictimsAnswer) -> NodeVictims:
        row = self._cluster.table.row_of.get(node)
        if row is None:
            raise ExtenderError(f"nodeinfo not found for node name {_quoted(node)}")
        by_uid: dict[str | None, PodInfo] = {info.pod.uid: info for info in self._cluster.pods_on(row).values()}
        if answer.is_null or (by_uid and None in answer.uids):
            what = "the victims" if answer.is_null else "a victim"
            text = f"extender {_quoted(self._url)} answers null in place of {what} on node {_quoted(node)}"
            raise ExtenderError(f"{text}, at which kube-scheduler panics")
        for uid in answer.uids:
            if uid not in by_uid:
                pod = "<nil>" if uid is None else f"&{{{uid}}}"
                text = f"extender: {self._url} claims to preempt pod (UID: {pod}) on node: {node}, "
                raise ExtenderError(f"{text}but the pod is not found on that node")
        return NodeVictims(tuple([by_uid[uid] for uid in answer.uids]), answer.violations)


def _quoted(text: str) -> str:
    """A text as Go's %q writes it, for names without characters that cannot be printed."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_NONE: Labels = {}


class LiveLabels:
    """calls.ClusterLabels of a cluster as it is at the moment of the question."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def of_node(self, name: str) -> Labels:
        """See ClusterLabels."""
        table = self._cluster.table
        row = table.row_of.get(name)
        node = None if row is None else table.nodes[row]
        return _NONE if node is None else node.labels

    def of_pod(self, node: str, uid: str) -> Labels:
        """See ClusterLabels."""
        row = self._cluster.table.row_of.get(node)
        pods = () if row is None else self._cluster.pods_on(row).values()
        return next((info.pod.labels for info in pods if info.pod.uid == uid), _NONE)
