"""Lists in pages: a token that expired, or a page that is too large, begins the list again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import msgspec

from scheduler_core.collect.recording import ChangeRecorder, WatchTarget
from scheduler_core.collect.server.requests import AnswerTooLarge, Gone, Refused, Requester

PAGE = 500
_TRIES = 3


class _ListMetadata(msgspec.Struct):
    resourceVersion: str = ""
    next: str = msgspec.field(default="", name="continue")


class _Page(msgspec.Struct):
    metadata: _ListMetadata = msgspec.field(default_factory=_ListMetadata)
    items: list[dict[str, Any]] | None = None


_decode = msgspec.json.Decoder(_Page).decode


class ListedPage(NamedTuple):
    """Some of the objects; ``version``: of the whole list."""

    objects: list[dict[str, Any]]
    version: str


async def pages(
    requester: Requester, target: WatchTarget, limit: int, patience: float = 0
) -> AsyncIterator[ListedPage]:
    """The list in pages of ``limit`` objects, whole without a limit (0). Raises as Requester.read, Gone where the token
    of the next page expired."""
    token = ""
    while True:
        params = {**({"limit": str(limit)} if limit else {}), **({"continue": token} if token else {})}
        body = await requester.read(target.path, params, target.kind.kind, patience)
        try:
            page = _decode(body)
        except (msgspec.MsgspecError, RecursionError):
            raise Refused(200, f"{target.path} answers with something else than a list") from None
        yield ListedPage(page.items or [], page.metadata.resourceVersion)
        token = page.metadata.next
        if not token:
            return


async def list_into(
    recorder: ChangeRecorder, requester: Requester, target: WatchTarget, page: int = PAGE, patience: float = 0
) -> None:
    """Write what a list has and what it does not have any more. Raises Away after ``patience``, Denied, NotServed,
    Refused, DiskFull, and AnswerTooLarge for a single object.

    The last try asks for the list whole, as client-go does, so that no token can expire.
    """
    tries = 0
    while True:
        target.seen.begin_list()
        try:
            version = ""
            async for one in pages(requester, target, page if tries < _TRIES else 0, patience):
                for raw in one.objects:
                    recorder.listed(target, raw)
                version = one.version
            recorder.ended_list(target, version)
            return
        except Gone:
            tries += 1
            if tries > _TRIES:
                raise Refused(410, f"{target.path} answers each list with 410") from None
        except AnswerTooLarge:
            if page == 1:
                raise
            page, tries = max(1, page // 4), 0
