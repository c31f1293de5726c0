"""Hits among the objects of clusters: in the revision or draft that a page shows, or in the newest one of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.db.models import OuterRef, Subquery
from django.urls import reverse

from dashboard.clusters.models import Cluster, Draft, Revision
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.page_context import PageContext, key_query
from dashboard.search.hits import SearchHit
from dashboard.search.name_lists import ObjectNames, names_in_draft, names_of
from scheduler_core.manifests.kinds.registry import POD_MAKERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from django.db.models import QuerySet

    from dashboard.accounts.models import Workspace
    from dashboard.search.ranking import NameList


# What the page about devices is asked for, by the kinds that it shows.
_ON_DEVICES: dict[str, Callable[[Key], dict[str, str]]] = {
    "ResourceClaim": lambda key: {"claim": key.path},
    "DeviceClass": lambda key: {"list": "classes", "q": key.name},
    "ResourceSlice": lambda key: {"list": "slices", "q": key.name},
}


@dataclass(frozen=True)
class Searched:
    """The names of a cluster's objects, and what addresses of their pages are made from.

    `place` names the cluster where the reader is not there; `only` are the kinds of hits that are searched, () for all.
    """

    slug: str
    cluster: Cluster
    names: ObjectNames
    query: dict[str, Any] = field(default_factory=dict)
    place: str = ""
    only: tuple[str, ...] = ()

    def lists(self, kind: str) -> tuple[NameList, ...]:
        """Return the names of a kind of hits: "pod", "node", "workload" or "object"."""
        names = self.names
        of_kinds = {"pod": names.pods, "node": names.nodes, "workload": names.workloads, "object": names.others}
        return (of_kinds[kind],) if kind in of_kinds and (not self.only or kind in self.only) else ()

    def holds(self, key: Key) -> bool:
        """Return whether the object is there."""
        if key.kind in ("Pod", "Node"):
            return key.path in (self.names.pods if key.kind == "Pod" else self.names.nodes)
        return key.label in (self.names.workloads if key.kind in POD_MAKERS else self.names.others)

    def named(self, kind: str, at: int, place: int) -> SearchHit:
        """Return the hit of the object whose name is at a place of `lists(kind)[at]`."""
        return self.hit(_key(kind, self.lists(kind)[at][place]))

    def hit(self, key: Key) -> SearchHit:
        """Return the hit of an object."""
        place = {"slug": self.slug, "cluster": self.cluster.slug}
        path, query = reverse("clusters:object", kwargs=place), key_query(key)
        if key.kind in _ON_DEVICES:
            path, query = reverse("devices:page", kwargs=place), _ON_DEVICES[key.kind](key)
        url = f"{path}?{urlencode({**query, **self.query}, safe='/')}"
        sub = "" if key.kind in ("Pod", "Node") else key.kind
        icon = {"Pod": "box", "Node": "server"}.get(key.kind, "layers" if key.kind in POD_MAKERS else "file")
        return SearchHit(("object", self.cluster.slug, *key), key.path, url, icon, sub, place=self.place)


def searched_at(page: PageContext) -> Searched:
    """Return the names of the cluster at the revision, or in the draft, that a page shows."""
    slug = page.access.workspace.slug
    if page.draft:
        draft = Draft.objects.select_related("base__cluster").get(pk=page.draft.pk)
        return Searched(slug, page.cluster, names_in_draft(draft), {"draft": draft.pk})
    query = {} if page.is_newest else {"r": page.revision.number}
    return Searched(slug, page.cluster, names_of(page.revision), query)


def newest_of(workspace: Workspace, slugs: Iterable[str]) -> list[Searched]:
    """Return the names of these clusters, as far as they are in use."""
    revisions = newest_revisions(workspace).filter(cluster__slug__in=list(slugs))
    return [
        Searched(workspace.slug, revision.cluster, names_of(revision), place=revision.cluster.name)
        for revision in revisions
    ]


def newest_revisions(workspace: Workspace) -> QuerySet[Revision]:
    """Return the newest revision of each cluster in use, the one saved last first."""
    of_cluster = Revision.objects.filter(cluster=OuterRef("cluster")).order_by("-number").values("pk")[:1]
    in_use = Revision.objects.filter(cluster__workspace=workspace, cluster__archived_at=None)
    return in_use.filter(pk=Subquery(of_cluster)).select_related("cluster").order_by("-created_at", "-id")


def _key(kind: str, name: str) -> Key:
    own_kind = {"pod": "Pod", "node": "Node"}.get(kind, "")
    if not own_kind:
        own_kind, _, name = name.partition(" ")
    namespace, _, rest = name.rpartition("/")
    return Key(own_kind, namespace, rest)
