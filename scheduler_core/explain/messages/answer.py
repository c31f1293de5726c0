"""Explains messages of failed scheduling from their texts alone: no cluster is known, so no node is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from scheduler_core.explain.messages.inferring import infer, left_open
from scheduler_core.explain.messages.model import (
    ExplainedMessages,
    MessagePart,
    NextCommand,
    ReadMessage,
    SaidOfPreemption,
)
from scheduler_core.explain.messages.parsing import MessagePiece, split_message
from scheduler_core.explain.messages.sources import PastedMessage, messages_in
from scheduler_core.explain.messages.table import NO_VICTIMS, NOT_HELPFUL
from scheduler_core.explain.messages.texts import NODES, PREEMPTION
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.framework.contracts.plugin import FilterPlugin
from scheduler_core.manifests.cluster_dump.kubectl import DUMP_COMMAND, SEPARATE
from scheduler_core.profiles.defaults import DEFAULT_MULTI_POINT
from scheduler_core.profiles.obstacle_kinds import find_kind
from scheduler_core.profiles.registry import in_tree

_POD = "POD"
_OF_CODES: tuple[tuple[tuple[str, ...], NextCommand], ...] = (
    (
        ("CLAIM_", "VOLUME_", "STORAGE_", "PREBIND_"),
        NextCommand(
            "kubectl get -A -o yaml persistentvolumeclaims,persistentvolumes,storageclasses > volumes.yaml",
            "the claims with their volumes, zones and classes",
        ),
    ),
    (
        ("DEVICE_", "CLAIM_NOT_ALLOCATED"),
        NextCommand(
            "kubectl get -A -o yaml resourceclaims,resourceslices,deviceclasses > devices.yaml",
            "the devices, who has them, and what the claims ask for",
        ),
    ),
    (
        ("GANG_", "PERMIT_"),
        NextCommand(f"kubectl get -A -o yaml {SEPARATE['PodGroup']} > groups.yaml", "how many pods a group needs"),
    ),
    (
        ("QUOTA_",),
        NextCommand(
            f"kubectl get -A -o yaml {SEPARATE['ElasticQuota']} > quotas.yaml", "used amounts and their bounds"
        ),
    ),
    (
        ("NOT_CREATED_",),
        NextCommand("kubectl get -A -o yaml resourcequotas,limitranges > limits.yaml", "what is used, and the limits"),
    ),
)


def explain_messages(paste: str) -> ExplainedMessages:
    """What the messages of a paste say, what they do not, and what to fetch next."""
    pasted = messages_in(paste)
    messages = tuple(_read(message) for message in pasted.messages)
    return ExplainedMessages(
        messages=messages,
        not_told=left_open(messages),
        fetch=commands_for(messages),
        passed_over=pasted.passed_over,
        is_longer=pasted.is_longer,
    )


def _read(pasted: PastedMessage) -> ReadMessage:
    read = split_message(pasted.text)
    parts = tuple(_part(pasted, piece, read.nodes) for piece in read.pieces)
    rows = [piece.match.row for piece in read.pieces if piece.match is not None]
    preemption = _preemption(parts)
    counted = sum(part.count or 0 for part in parts if part.place == NODES)
    message = ReadMessage(
        line=pasted.place(0)[0],
        parts=parts,
        nodes=read.nodes,
        counted=counted,
        is_cut=read.is_cut,
        event=pasted.event,
        preemption=preemption,
    )
    return infer(message, rows)


def _part(pasted: PastedMessage, piece: MessagePiece, nodes: int | None) -> MessagePart:
    line, column = pasted.place(piece.start)
    match = piece.match
    if match is None:
        of = f"{_nodes(piece.count, nodes)}: " if piece.count is not None else ""
        return MessagePart(
            line=line,
            column=column,
            text=piece.text,
            place=piece.place,
            count=piece.count,
            actor="other",
            is_known=False,
            says=f"{of}not a text of kube-scheduler; an extender or a plugin from outside may say it",
        )
    return MessagePart(
        line=line,
        column=column,
        text=piece.text,
        place=piece.place,
        count=piece.count,
        codes=match.codes,
        plugin=match.plugin,
        actor=find_kind(match.codes[0]).actor if match.codes else "",
        versions=match.row.versions,
        says=_says(piece, match.codes, nodes),
        hides=_later_filters(match.plugin) if piece.place == NODES else (),
    )


def _says(piece: MessagePiece, codes: Sequence[str], nodes: int | None) -> str:
    """ "3 of 7 nodes: too little cpu is free, or ..." """
    means = ", or ".join(find_kind(code).means for code in codes)
    if piece.count is None:
        return means
    return f"{_nodes(piece.count, nodes)}: {means}" if means else _nodes(piece.count, nodes)


def _nodes(count: int, nodes: int | None) -> str:
    return plural(count, "node") if nodes is None else f"{count:,} of {plural(nodes, 'node')}"


def _preemption(parts: Iterable[MessagePart]) -> SaidOfPreemption:
    said = [part for part in parts if part.place == PREEMPTION]
    if not said:
        return SaidOfPreemption()
    counts = {text: sum(part.count or 0 for part in said if part.text == text) for text in (NOT_HELPFUL, NO_VICTIMS)}
    return SaidOfPreemption(
        is_said=True,
        not_helpful=counts[NOT_HELPFUL],
        no_victims=counts[NO_VICTIMS],
        codes=tuple(dict.fromkeys(code for part in said for code in part.codes)),
        text=listed([part.says or part.text for part in said], "and"),
    )


@cache
def _later_filters(plugin: str) -> tuple[str, ...]:
    """The plugins whose filters run after the plugin's by default, none where it is not among them."""
    factories = in_tree().factories
    filters = [
        ref.name
        for ref in DEFAULT_MULTI_POINT
        if issubclass(factories[ref.name], FilterPlugin)  # type: ignore[arg-type]
    ]
    return tuple(filters[filters.index(plugin) + 1 :]) if plugin in filters else ()


def commands_for(messages: Sequence[ReadMessage]) -> tuple[NextCommand, ...]:
    """What to run next: a dump that answers all, two texts that need no rights on the cluster, then what the codes
    are about. None without a message."""
    if not messages:
        return ()
    pod, namespace = _named_pod(messages)
    codes = {code for message in messages for part in message.parts for code in part.codes}
    commands = [
        NextCommand(DUMP_COMMAND, "all that the scheduler reads, and the pods; then:"),
        NextCommand(
            f"python -m scheduler_core why cluster.json --pod {namespace}/{pod}", "the cause, and changes that help"
        ),
        NextCommand(
            f"kubectl describe nodes; kubectl describe pod {pod} -n {namespace}",
            "without rights on the cluster: nodes, taints, what is free, and the request",
        ),
    ]
    if any(message.is_cut for message in messages):
        command = f"kubectl get pod {pod} -n {namespace} -o yaml"
        commands.append(NextCommand(command, "the whole message, in the condition PodScheduled"))
    commands += [one for begins, one in _OF_CODES if any(code.startswith(begins) for code in codes)]
    return tuple(commands)


def _named_pod(messages: Sequence[ReadMessage]) -> tuple[str, str]:
    """(pod, namespace) of the messages, in capitals where they name none or several."""
    pods = {m.event.object.removeprefix("pod/") for m in messages if m.event and m.event.object.startswith("pod/")}
    namespaces = {m.event.namespace for m in messages if m.event and m.event.namespace}
    return (pods.pop() if len(pods) == 1 else _POD), (namespaces.pop() if len(namespaces) == 1 else "NAMESPACE")
