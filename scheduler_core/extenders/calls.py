"""Calls to extenders and what came back: the boundary between the engine, which asks, and whatever answers.

A call is what kube-scheduler would send (HTTPExtender.send in extender.go); who answers it is an `ExtenderSource`: a
tape, a declared extender, or the servers themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from scheduler_core.api.labels import Labels

_PASSWORD = re.compile(r"^([^/]*//[^/@:]*:)[^/@]*@")
TIMEOUT, CLOSED = "timeout", "closed"
NOT_ON_TAPE = "the request is not on the tape: "
"""How the fault begins of a call that a tape has no answer for."""
VERBS = ("filter", "prioritize", "preempt", "bind")
MAX_ANSWER_BYTES = 1 << 26
"""No answer is longer here. kube-scheduler has no such limit; 5,000 whole nodes are some 15 MB."""


class ClusterLabels(Protocol):
    """What an extender that watches the cluster itself (nodeCacheCapable) would know by name and UID at the moment of a
    call. No labels where there is no such object."""

    def of_node(self, name: str) -> Labels:
        """The labels of a node."""

    def of_pod(self, node: str, uid: str) -> Labels:
        """The labels of a pod on this node, or of one that is about to be bound to it."""


class ExtenderCall(msgspec.Struct, frozen=True, kw_only=True):
    """One POST.

    ``step``: number of the scheduling attempt that asks; ``extender``: index in the configuration's ``extenders``, in
    the order of the file; ``verb``: filter, prioritize, preempt or bind, whatever path the configuration gives it;
    ``url``: the address with that path; ``request``: the JSON body as plain values, with the keys of
    ``ExtenderArgs``, ``ExtenderPreemptionArgs`` or ``ExtenderBindingArgs``. ``cluster`` is no part of what is sent.
    """

    step: int
    extender: int
    verb: str
    url: str
    request: dict[str, Any]
    cluster: ClusterLabels | None = None


class ExtenderReply(msgspec.Struct, frozen=True):
    """The HTTP status with the body as it was received, or the fault that came in place of an answer.

    ``fault``: empty; ``timeout`` (no answer within httpTimeout); ``closed`` (the connection ended without an answer);
    or, for any other failure, its text as the caller reports it. ``body`` is empty and ``status`` 0 where there is one.
    The body of a status other than 200 may be left out: kube-scheduler does not read it.
    """

    status: int = 0
    body: bytes = b""
    fault: str = ""

    def fault_text(self, call: ExtenderCall) -> str:
        """The error of the call in the words of Go's HTTP client, empty where there is an answer."""
        if self.fault == TIMEOUT:
            reason = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        elif self.fault == CLOSED:
            reason = "EOF"
        else:
            return self.fault
        return post_error(call.url, reason)


class ExtenderSource(Protocol):
    """Whatever answers calls."""

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        """One reply to each call, in their order. Several calls are those that kube-scheduler sends at the same time
        (the prioritize calls of an attempt)."""


def missing_on_tape(error: str) -> str:
    """Which request a call's error says is not on the tape; "" for any other error, and for none."""
    return error.partition(NOT_ON_TAPE)[2]


def post_error(url: str, reason: str) -> str:
    """The text of Go's url.Error for a POST that failed, which hides a password in the address."""
    return f'Post "{without_password(url)}": {reason}'


def without_password(url: str) -> str:
    """The address, with *** in place of the password of a user in it."""
    return _PASSWORD.sub(r"\1***@", url)
