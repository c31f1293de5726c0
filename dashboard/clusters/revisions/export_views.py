"""Downloads: a revision or an object as YAML that kubectl applies."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any, cast

from asgiref.sync import sync_to_async
from django.http import HttpResponse, StreamingHttpResponse

from dashboard.accounts.access import workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_keys import Raw, canonical, canonical_text, object_key
from dashboard.clusters.revisions.page_context import key_in, read_page_context
from dashboard.clusters.texts import store as texts
from dashboard.clusters.yaml_text import YAML_TYPE
from dashboard.common.http.params import choice_param
from dashboard.common.problems import NotFound

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from django.http import HttpRequest

    from dashboard.accounts.access import Access
    from dashboard.clusters.texts.store import ClusterTexts

BATCH = 200
# In this order, objects that others refer to are applied first.
FIRST = ("Namespace", "PriorityClass", "StorageClass", "CSIDriver", "Node")


@workspace_view(Role.VIEWER)
def revision(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return all objects of a revision as YAML, or (`as=zip`) in a file for each kind; written while they are sent.

    Documents that people wrote come as they wrote them.
    """
    page = read_page_context(access, cluster, request.GET)
    held = page.contents.manifests if page.draft else object_store.read_manifests(page.revision)
    manifests, written = sorted(held, key=_rank), texts.ClusterTexts(page.cluster)
    form = choice_param(request.GET, "as", ("yaml", "zip"), "yaml")
    if form == "zip":
        response = StreamingHttpResponse(_zip_parts(written, manifests), content_type="application/zip")
    else:
        response = StreamingHttpResponse(_parts(written, manifests), content_type=YAML_TYPE)
    name = f"{page.cluster.slug}-{f'draft-{page.draft.pk}' if page.draft else f'r{page.revision.number}'}.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return cast("HttpResponse", response)


def _rank(raw: Raw) -> int:
    kind = raw.get("kind", "")
    return FIRST.index(kind) if kind in FIRST else len(FIRST)


async def _parts(written: ClusterTexts, manifests: list[Raw]) -> AsyncIterator[bytes]:
    # Asynchronous like the server, which would collect a plain iterator into a list before sending the first byte.
    for at in range(0, len(manifests), BATCH):
        part = await sync_to_async(_documents)(written, manifests[at : at + BATCH])
        yield (f"---\n{part}" if at else part).encode()


def _documents(written: ClusterTexts, manifests: list[Raw]) -> str:
    shown = (written.shown(object_key(raw), texts.content_address(canonical(raw)), raw) for raw in manifests)
    return "---\n".join(one if one.endswith("\n") else f"{one}\n" for one in shown)


class _Unsent(io.RawIOBase):
    """What a zip has written since it was last asked for: it is sent on, so there is no way back in it."""

    def __init__(self) -> None:
        super().__init__()
        self._chunks: list[bytes] = []

    def writable(self) -> bool:
        """Return that it can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Keep the bytes until they are taken."""
        self._chunks.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """Return what was written since the last time."""
        chunks, self._chunks = self._chunks, []
        return b"".join(chunks)


async def _zip_parts(written: ClusterTexts, manifests: list[Raw]) -> AsyncIterator[bytes]:
    """A file for each kind, numbered in the order in which they are applied; the same bytes for the same objects."""
    unsent = _Unsent()
    kinds = dict.fromkeys(str(raw.get("kind", "")) for raw in manifests)
    with zipfile.ZipFile(unsent, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, kind in enumerate(kinds):
            entry = zipfile.ZipInfo(f"{number:02d}-{kind.lower()}.yaml")
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with archive.open(entry, "w") as file:
                async for part in _parts(written, [raw for raw in manifests if raw.get("kind", "") == kind]):
                    file.write(part)
                    yield unsent.take()
    yield unsent.take()


@workspace_view(Role.VIEWER)
def one(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return one object as YAML, as people wrote it where that is kept."""
    page = read_page_context(access, cluster, request.GET)
    key = key_in(request.GET)
    raw = page.contents.by_key.get(key) if key else None
    if key is None or raw is None:
        raise NotFound("This object is not in this revision.")
    address = texts.content_address(canonical_text(page.contents.by_key.stored[key]))
    response = HttpResponse(texts.shown(page.cluster, key, address, raw).text, content_type=YAML_TYPE)
    response["Content-Disposition"] = 'attachment; filename="object.yaml"'
    return response
