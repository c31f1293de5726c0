"""Short addresses of revisions: /w/team/clusters/prod/r/4/, of an object in one: …/r/4/o/Pod/default/web-1/, and of the
changes of one against another: …/r/4/from/3/.

They name the revision also while it is the newest, so that they show the same after the next one. They are out in
chats: parts may be added, never renamed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.shortcuts import redirect
from django.urls import reverse

from dashboard.accounts.access import Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.page_context import find_cluster, key_query

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.clusters.revisions.page_context import PageContext

# What stands in a segment as it is; objects with other names (none of a valid object) keep their full address.
_SEGMENT = re.compile(r"[A-Za-z0-9][\w.:-]*", re.ASCII)


@workspace_view(Role.VIEWER)
def revision(request: HttpRequest, access: Access, cluster: str, number: int) -> HttpResponse:
    """The way to a revision's overview."""
    return _led_to(access, cluster, "detail", r=number)


@workspace_view(Role.VIEWER)
def changes(request: HttpRequest, access: Access, cluster: str, number: int, base: int) -> HttpResponse:
    """The way to the changes from revision `base` (0: no objects) to this one."""
    return _led_to(access, cluster, "diff", **{"from": base, "to": number})


@workspace_view(Role.VIEWER)
def manifest(request: HttpRequest, access: Access, cluster: str, number: int, kind: str, key: str) -> HttpResponse:
    """The way to an object as a revision has it; `key` is namespace/name, or a name."""
    namespace, _, name = key.removesuffix("/").rpartition("/")
    return _led_to(access, cluster, "object", **key_query(Key(kind, namespace, name)), r=number)


def _led_to(access: Access, cluster: str, page: str, **query: Any) -> HttpResponse:
    # The page itself says which revision or object is not there.
    here = [access.workspace.slug, find_cluster(access, cluster).slug]
    return redirect(f"{reverse(f'clusters:{page}', args=here)}?{urlencode(query)}")


def revision_path(page: PageContext) -> str:
    """Return the short path of the revision that a page shows."""
    return reverse(
        "clusters:short_revision", args=[page.access.workspace.slug, page.cluster.slug, page.revision.number]
    )


def changes_path(page: PageContext, number: int, base: int) -> str:
    """Return the short path of the changes from revision `base` to revision `number`."""
    return reverse("clusters:short_changes", args=[page.access.workspace.slug, page.cluster.slug, number, base])


def object_path(page: PageContext, key: Key) -> str:
    """Return the short path of an object in the revision that a page shows, its full one where a segment cannot hold a
    name.
    """
    parts = [part for part in (key.kind, key.namespace, key.name) if part]
    if all(_SEGMENT.fullmatch(part) for part in parts):
        return f"{revision_path(page)}o/{'/'.join(parts)}/"
    path = reverse("clusters:object", args=[page.access.workspace.slug, page.cluster.slug])
    return f"{path}?{urlencode({**key_query(key), 'r': page.revision.number})}"
