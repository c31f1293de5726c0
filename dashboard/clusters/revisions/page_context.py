"""The cluster and revision that a page is about, and what its frame shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse

from dashboard.clusters.models import Cluster, Revision
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import Contents, contents_of
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.totals import totals_of
from dashboard.clusters.yaml_templates import OBJECT_TEMPLATES
from dashboard.common.http.params import optional_int, text_param
from dashboard.common.problems import NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.accounts.access import Access


NAME_LIMIT = 600


def cluster_of(access: Access, slug: str) -> Cluster:
    """Return the workspace's cluster with this address; raises NotFound."""
    cluster = Cluster.objects.filter(workspace=access.workspace, slug=slug).first()
    if cluster is None:
        raise NotFound("This cluster does not exist in this workspace.")
    return cluster


@dataclass
class PageContext:
    """A cluster at the revision that the address names (`r`), the newest by default."""

    access: Access
    cluster: Cluster
    revision: Revision
    newest: int

    @cached_property
    def contents(self) -> Contents:
        """Return what the revision holds."""
        return contents_of(self.revision)

    @property
    def is_newest(self) -> bool:
        """Return whether edits of this revision are edits of the newest one."""
        return self.revision.number == self.newest

    def url(self, page: str, /, **query: Any) -> str:
        """Return the address of another page of this cluster at the same revision."""
        return self.url_at(self.revision.number, page, **query)

    def url_at(self, number: int, page: str, /, **query: Any) -> str:
        """Return the address of a page of this cluster at the revision of this number."""
        if number != self.newest:
            query["r"] = number
        kwargs = {"slug": self.access.workspace.slug, "cluster": self.cluster.slug}
        path = reverse(f"clusters:{page}", kwargs=kwargs)
        return f"{path}?{urlencode(query)}" if query else path

    @property
    def _agreement_url(self) -> str:
        """The page that compares with the real scheduler, of an app above this one."""
        path = reverse("agreement:page", args=[self.access.workspace.slug, self.cluster.slug])
        return path if self.is_newest else f"{path}?r={self.revision.number}"

    def context(self, tab: str = "", **more: Any) -> dict[str, Any]:
        """Return what the cluster's frame shows, with the page's own words added."""
        totals = totals_of(self.revision)
        counts = self.revision.counts
        others = sum(number for kind, number in counts.items() if kind not in ("Node", "Pod"))
        tabs = [
            ("overview", "Overview", self.url("detail"), None),
            ("nodes", "Nodes", self.url("nodes"), totals["nodes"]),
            ("pods", "Pods", self.url("pods"), totals["pods"]),
            ("objects", "Other objects", self.url("objects"), others),
            ("history", "History", self.url("history"), self.newest),
            ("agreement", "Agreement", self._agreement_url, None),
        ]
        return {
            "page_context": self,
            "cluster": self.cluster,
            "revision": self.revision,
            "newest": self.newest,
            "is_newest": self.is_newest,
            "old_query": "" if self.is_newest else f"?r={self.revision.number}",
            "add_kinds": OBJECT_TEMPLATES,
            "tabs": tabs,
            "tab": tab,
            "figures": totals,
            "run_url": run_url(self.access.workspace.slug, self.cluster),
            "can_edit": self.is_newest and self.access.member.may("editor") and not self.cluster.archived_at,
            **more,
        }


def page_context_of(access: Access, slug: str, query: Mapping[str, str]) -> PageContext:
    """Return the context of the page that the address names; raises NotFound for an unknown cluster or revision."""
    cluster = cluster_of(access, slug)
    newest = actions.newest_revision(cluster)
    number = optional_int(query, "r", low=1, high=2**31 - 1)
    revision = newest if number in (None, newest.number) else actions.revision_of(cluster, number or 0)
    return PageContext(access, cluster, revision, newest.number)


def run_url(slug: str, cluster: Cluster) -> str:
    """Return the address of the launch page with this cluster chosen, "" while there is none."""
    try:
        return f"{reverse('runs:launch', kwargs={'slug': slug})}?{urlencode({'cluster': cluster.slug})}"
    except NoReverseMatch:
        return ""


def key_in(query: Mapping[str, str]) -> Key | None:
    """Return the object that the query names (kind, ns, name), None where it names none."""
    kind, name = text_param(query, "kind", NAME_LIMIT), text_param(query, "name", NAME_LIMIT)
    return Key(kind, text_param(query, "ns", NAME_LIMIT), name) if kind and name else None


def key_query(key: Key) -> dict[str, str]:
    """Return the query that names an object."""
    named = {"kind": key.kind, "ns": key.namespace, "name": key.name}
    return {name: value for name, value in named.items() if value}
