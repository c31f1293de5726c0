"""Downloads: a revision or an object as YAML that kubectl applies."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from asgiref.sync import sync_to_async
from django.http import HttpResponse, StreamingHttpResponse

from dashboard.accounts.access import workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_keys import Raw
from dashboard.clusters.revisions.page_context import key_in, page_context_of
from dashboard.clusters.yaml_text import YAML_TYPE
from dashboard.common.problems import NotFound
from scheduler_core.manifests import dump_yaml

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from django.http import HttpRequest

    from dashboard.accounts.access import Access

BATCH = 200
# In this order, objects that others refer to are applied first.
FIRST = ("Namespace", "PriorityClass", "StorageClass", "CSIDriver", "Node")


@workspace_view(Role.VIEWER)
def revision(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return all objects of a revision as YAML, written while it is sent."""
    page = page_context_of(access, cluster, request.GET)
    held = page.contents.manifests if page.draft else object_store.read_manifests(page.revision)
    manifests = sorted(held, key=_rank)
    response = StreamingHttpResponse(_parts(manifests), content_type=YAML_TYPE)
    name = f"{page.cluster.slug}-{f'draft-{page.draft.pk}' if page.draft else f'r{page.revision.number}'}.yaml"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return cast("HttpResponse", response)


def _rank(raw: Raw) -> int:
    kind = raw.get("kind", "")
    return FIRST.index(kind) if kind in FIRST else len(FIRST)


async def _parts(manifests: list[Raw]) -> AsyncIterator[bytes]:
    # Asynchronous like the server, which would collect a plain iterator into a list before sending the first byte.
    for at in range(0, len(manifests), BATCH):
        part = await sync_to_async(dump_yaml)(manifests[at : at + BATCH])
        yield (f"---\n{part}" if at else part).encode()


@workspace_view(Role.VIEWER)
def one(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return one object as YAML."""
    page = page_context_of(access, cluster, request.GET)
    key = key_in(request.GET)
    raw = page.contents.by_key.get(key) if key else None
    if raw is None:
        raise NotFound("This object is not in this revision.")
    response = HttpResponse(dump_yaml([raw]), content_type=YAML_TYPE)
    response["Content-Disposition"] = 'attachment; filename="object.yaml"'
    return response
