"""Calls, replies and tapes for the tests of this folder."""

from __future__ import annotations

from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply
from scheduler_core.extenders.tape.blocks import TapedExtender, TapeHeader
from scheduler_core.extenders.tape.writer import TapeWriter

HEADER = TapeHeader(
    (
        TapedExtender("http://a.example", "filter", "prioritize", "preempt", "bind", node_cache_capable=True),
        TapedExtender("http://b.example/x", "f", "p", "v"),
    ),
    cluster="the nodes",
)


class Scripted:
    """Gives these replies one after the other."""

    def __init__(self, replies):
        self.replies = list(replies)

    def ask(self, calls):
        return [self.replies.pop(0) for _ in calls]


def pod(name, uid=None):
    return {"metadata": {"namespace": "default", "name": name, "uid": f"uid-{name}" if uid is None else uid}}


def on_nodes(names=("n1", "n2"), of="p", step=1, extender=0, verb="filter", objects=False):
    """A filter or prioritize call."""
    items = {"metadata": {}, "items": [{"metadata": {"name": name}} for name in names]}
    nodes = {"Nodes": items, "NodeNames": None} if objects else {"Nodes": None, "NodeNames": list(names)}
    return call(step, extender, verb, {"Pod": pod(of), **nodes})


def on_victims(victims, of="p", step=1, extender=0, objects=False):
    """A preempt call; ``victims`` is {node: (UIDs, violations)}."""
    maps = {"NodeNameToVictims": None, "NodeNameToMetaVictims": None}
    maps["NodeNameToVictims" if objects else "NodeNameToMetaVictims"] = {
        node: {"Pods": [pod(uid, uid) if objects else {"UID": uid} for uid in uids], "NumPDBViolations": violations}
        for node, (uids, violations) in victims.items()
    }
    return call(step, extender, "preempt", {"Pod": pod(of), **maps})


def on_bind(node="n1", of="p", step=1, extender=0):
    body = {"PodName": of, "PodNamespace": "default", "PodUID": f"uid-{of}", "Node": node}
    return call(step, extender, "bind", body)


def call(step, extender, verb, request):
    url = f"http://a.example/{verb}"
    return ExtenderCall(step=step, extender=extender, verb=verb, url=url, request=request)


def answer(body):
    return ExtenderReply(200, body)


def write_tape(path, calls_with_replies, header=HEADER):
    """A tape of these calls, each asked by itself."""
    with TapeWriter(path, header, Scripted(reply for _, reply in calls_with_replies)) as writer:
        for one, _ in calls_with_replies:
            writer.ask([one])
    return path
