"""The JSON messages between web processes and answer workers."""

from __future__ import annotations

import msgspec


class Request(msgspec.Struct, frozen=True):
    """A question on its way: the run or the revision of a cluster, the workspace that the reader is a member of,
    and the question's JSON.

    `request_id` is that of the request that asks, for the worker's log lines; it is no part of the key.

    The key is the same for the same question about the same recording, computed by the same code. With `is_final` the
    recording does not change any more, so that the answer may be kept. One that `is_short` is answered before others.
    """

    key: str
    run: int
    workspace: int
    question: msgspec.Raw
    is_final: bool
    revision: int = 0
    is_short: bool = False
    request_id: str = ""


class Reply(msgspec.Struct, frozen=True):
    """A worker's result: the answer's JSON, or an error message for the reader ("" if there is an answer)."""

    answer: msgspec.Raw = msgspec.Raw(b"null")
    error: str = ""
    seconds: float = 0.0
    is_partial: bool = False


class Ask(msgspec.Struct, frozen=True):
    """A request with who asks and how long: `seconds` until its deadline, `patience` seconds to wait for it now.

    A later question of the same asker takes the place of an earlier one; "" is nobody in particular. Answer workers
    take turns between people (`person`: a user in a workspace), and a person has few questions open at a time, those of
    one page (`page`, "" for none) one after the other.
    """

    request: Request
    asker: str
    seconds: float
    patience: float
    person: str = ""
    page: str = ""


class AskResult(msgspec.Struct, frozen=True):
    """The present state of a question: its reply, or what it waits for and its place among those waiting.

    One that `is_dropped` made way for later questions of the same person, and is not computed.
    """

    reply: Reply | None = None
    waits_for: str = ""
    place: int = 0
    is_dropped: bool = False
