"""Hits among the objects of clusters.

On a page of a cluster, only that cluster is searched, in the revision or draft that the page shows. On other pages the
newest revision of each cluster is, the most recently changed first, until they have more than MOST_OBJECTS objects
together. The clusters left out are named, since a search that leaves out something must not look complete.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.db.models import OuterRef, Subquery
from django.urls import reverse

from dashboard.clusters.models import Cluster, Draft, Revision
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.page_context import PageContext, key_query
from dashboard.search.hits import HitGroup, SearchHit
from dashboard.search.name_lists import ObjectNames, names_in_draft, names_of
from dashboard.search.ranking import NameList, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.db.models import QuerySet

    from dashboard.accounts.models import Workspace

MOST_OBJECTS = 60_000


@dataclass(frozen=True)
class Searched:
    """The names of a cluster's objects, and what addresses of their pages are made from."""

    slug: str
    cluster: Cluster
    names: ObjectNames
    query: dict[str, Any] = field(default_factory=dict)

    def names_of_kind(self, kind: str) -> NameList:
        """Return the names of a kind of hits: "pod", "node" or "object"."""
        return {"pod": self.names.pods, "node": self.names.nodes}.get(kind, self.names.others)

    def holds(self, key: Key) -> bool:
        """Return whether the object is there."""
        if key.kind in ("Pod", "Node"):
            return key.path in self.names_of_kind(key.kind.lower())
        return key.label in self.names.others

    def hit(self, key: Key, is_alone: bool) -> SearchHit:
        """Return the hit of an object; `is_alone`: no other cluster is searched."""
        path = reverse("clusters:object", kwargs={"slug": self.slug, "cluster": self.cluster.slug})
        url = f"{path}?{urlencode({**key_query(key), **self.query}, safe='/')}"
        said = [] if key.kind in ("Pod", "Node") else [key.kind]
        sub = " · ".join([*said, *([] if is_alone else [self.cluster.name])])
        icon = {"Pod": "box", "Node": "server"}.get(key.kind, "file")
        return SearchHit(("object", self.cluster.slug, *key), key.path, url, icon, sub)


def searched_at(page: PageContext) -> Searched:
    """Return the names of the cluster at the revision, or in the draft, that a page shows."""
    slug = page.access.workspace.slug
    if page.draft:
        draft = Draft.objects.select_related("base__cluster").get(pk=page.draft.pk)
        return Searched(slug, page.cluster, names_in_draft(draft), {"draft": draft.pk})
    query = {} if page.is_newest else {"r": page.revision.number}
    return Searched(slug, page.cluster, names_of(page.revision), query)


def searched_in(workspace: Workspace) -> tuple[list[Searched], list[str]]:
    """Return the names of the workspace's clusters, and which clusters are left out."""
    searched: list[Searched] = []
    total, left_out = 0, []
    for revision in _newest(workspace).order_by("-created_at", "-id"):
        total += revision.n_objects
        if total > MOST_OBJECTS and searched:
            left_out.append(revision.cluster.name)
        else:
            searched.append(Searched(workspace.slug, revision.cluster, names_of(revision)))
    return searched, left_out


def newest_of(workspace: Workspace, slugs: Iterable[str]) -> list[Searched]:
    """Return the names of these clusters, as far as they are in use."""
    revisions = _newest(workspace).filter(cluster__slug__in=list(slugs))
    return [Searched(workspace.slug, revision.cluster, names_of(revision)) for revision in revisions]


def _newest(workspace: Workspace) -> QuerySet[Revision]:
    """The newest revision of each cluster in use."""
    of_cluster = Revision.objects.filter(cluster=OuterRef("cluster")).order_by("-number").values("pk")[:1]
    in_use = Revision.objects.filter(cluster__workspace=workspace, cluster__archived_at=None)
    return in_use.filter(pk=Subquery(of_cluster)).select_related("cluster")


def hit_groups(searched: Sequence[Searched], words: Sequence[str], limit: int) -> list[HitGroup]:
    """Return nodes, pods and other objects."""
    return [
        _group(searched, "node", "Nodes", words, limit),
        _group(searched, "pod", "Pods", words, limit),
        _group(searched, "object", "Other objects", words, limit),
    ]


def _group(searched: Sequence[Searched], kind: str, title: str, words: Sequence[str], limit: int) -> HitGroup:
    lists = [one.names_of_kind(kind) for one in searched]
    matches, n = find(lists, words, limit)
    hits = [
        searched[match.list]
        .hit(_key(kind, lists[match.list][match.place]), is_alone=len(searched) == 1)
        .marked(words, match.cost)
        for match in matches
    ]
    return HitGroup(kind, title, hits, n, matches[0].cost if matches else 0)


def _key(kind: str, name: str) -> Key:
    own_kind = {"pod": "Pod", "node": "Node"}.get(kind, "")
    if not own_kind:
        own_kind, _, name = name.partition(" ")
    namespace, _, rest = name.rpartition("/")
    return Key(own_kind, namespace, rest)
