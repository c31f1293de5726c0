"""The cluster and revision that a page is about, and what its frame shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse

from dashboard.clusters.models import Cluster, Revision
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import Contents, read_contents
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.totals import read_totals
from dashboard.common.http.params import INT32_MAX, optional_int, text_param
from dashboard.common.pages.numbers import grouped
from dashboard.common.problems import BadQuery, NotFound
from dashboard.common.registering import Registered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dashboard.accounts.access import Access
    from dashboard.accounts.models import Member


NAME_LIMIT = 600


def find_cluster(reader: Access | Member, slug: str) -> Cluster:
    """Return the cluster with this address in the reader's workspace; raises NotFound."""
    cluster = Cluster.objects.filter(workspace=reader.workspace, slug=slug).first()
    if cluster is None:
        raise NotFound("This cluster does not exist in this workspace.")
    return cluster


class OpenDraft(Protocol):
    """A draft that pages are looked at and edited in: what it holds, and what its bar shows."""

    @property
    def pk(self) -> int:
        """Return its number in addresses."""

    @property
    def base(self) -> Revision:
        """Return the revision that it changes."""

    @property
    def contents(self) -> Contents:
        """Return what it holds."""

    @property
    def version(self) -> str:
        """Return a hash that names what it holds."""

    @property
    def added_nodes(self) -> frozenset[str]:
        """Return the names of the nodes that its base does not have."""

    def figures(self) -> dict[str, Any]:
        """Return the totals of what it holds, as `read_totals` does."""

    def context(self) -> dict[str, Any]:
        """Return what the frame of its pages shows."""


class Drafts(Protocol):
    """The room of drafts, which stands above this one."""

    def opened(self, access: Access, slug: str, pk: int) -> OpenDraft:
        """Return the draft of the cluster with this address; raises NotFound."""

    def count(self, access: Access, cluster: Cluster) -> int:
        """Return how many drafts of the cluster the reader sees."""

    def own_name(self, access: Access, revision: Revision) -> str:
        """Return the name of the reader's draft that an edit of the revision goes into, "" where it opens one."""


class ArrivingPods(NamedTuple):
    """The pods that come to a cluster by the timeline that was made for it, with its page and the form that runs it."""

    n_pods: int
    name: str
    url: str
    run_url: str


_drafts: Registered[Drafts] = Registered()
_arrivals: Registered[Callable[[Revision], ArrivingPods | None]] = Registered()
_agreement: Registered[Callable[[Revision], str]] = Registered()
_live: Registered[Callable[[Cluster], str]] = Registered()


def register_following(live_url: Callable[[Cluster], str]) -> None:
    """Tell the pages where a followed cluster is seen live, "" for one that no collector follows."""
    _live.add("", live_url)


def register_agreement(count: Callable[[Revision], str]) -> None:
    """Tell the pages how many bound pods of a revision agree with the engine: "28/30", "" where nobody compared."""
    _agreement.add("", count)


def register_arrivals(find: Callable[[Revision], ArrivingPods | None]) -> None:
    """Tell the pages which pods come to a cluster by a timeline, None where none was made for it."""
    _arrivals.add("", find)


def arriving_pods(revision: Revision) -> ArrivingPods | None:
    """Return the pods that come to a cluster by the timeline that was made for it, None where there is none."""
    return _arrivals.all()[""](revision)


def register_drafts(drafts: Drafts) -> None:
    """Tell the pages how a draft is opened; done once, when the app is ready."""
    _drafts.add("", drafts)


@dataclass
class PageContext:
    """A cluster at the revision that the address names (`r`), the newest by default, or in a draft (`draft`)."""

    access: Access
    cluster: Cluster
    revision: Revision
    newest_number: int | None = None
    draft: OpenDraft | None = None

    @cached_property
    def newest(self) -> int:
        """Return the number of the cluster's newest revision."""
        return self.newest_number or actions.newest_revision(self.cluster).number

    @cached_property
    def contents(self) -> Contents:
        """Return what the revision or the draft holds."""
        return self.draft.contents if self.draft else read_contents(self.revision)

    @property
    def version(self) -> str:
        """Return a hash that names what is shown."""
        return self.draft.version if self.draft else self.revision.sha256

    @cached_property
    def own_draft(self) -> str:
        """Return the name of the reader's draft that an edit of the saved revision goes into, "" for a new one."""
        return _drafts.all()[""].own_name(self.access, self.revision)

    @property
    def is_newest(self) -> bool:
        """Return whether edits of this revision are edits of the newest one; a draft is edited on any."""
        return self.draft is not None or self.revision.number == self.newest

    def url(self, page: str, /, **query: Any) -> str:
        """Return the address of another page of this cluster at the same revision, or in the same draft."""
        if self.draft:
            return self._address(page, draft=self.draft.pk, **query)
        return self.url_at(self.revision.number, page, **query)

    def url_at(self, number: int, page: str, /, **query: Any) -> str:
        """Return the address of a page of this cluster at the revision of this number."""
        return self._address(page, **query) if number == self.newest else self._address(page, **query, r=number)

    def _address(self, page: str, **query: Any) -> str:
        kwargs = {"slug": self.access.workspace.slug, "cluster": self.cluster.slug}
        path = reverse(f"clusters:{page}", kwargs=kwargs)
        return f"{path}?{urlencode(query)}" if query else path

    @property
    def _agreeing(self) -> str | None:
        return ("" if self.draft else _agreement.all()[""](self.revision)) or None

    def _url_above(self, name: str) -> str:
        """The page of an app above this one, at the same revision."""
        path = reverse(name, args=[self.access.workspace.slug, self.cluster.slug])
        return path if self.is_newest else f"{path}?r={self.revision.number}"

    def _url_of_draft_too(self, name: str) -> str:
        """The same of one that shows drafts, too."""
        return f"{reverse(name, args=[self.access.workspace.slug, self.cluster.slug])}{self._query}"

    @property
    def _query(self) -> str:
        if self.draft:
            return f"?draft={self.draft.pk}"
        return "" if self.is_newest else f"?r={self.revision.number}"

    @cached_property
    def figures(self) -> dict[str, Any]:
        """Return the totals of what is shown."""
        return self.draft.figures() if self.draft else read_totals(self.revision)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Return {kind: objects}."""
        return dict(Counter(key.kind for key in self.contents.by_key)) if self.draft else self.revision.counts

    def context(self, tab: str = "", **more: Any) -> dict[str, Any]:
        """Return what the cluster's frame shows, with the page's own words added."""
        totals, counts = self.figures, self.counts
        others = sum(number for kind, number in counts.items() if kind not in ("Node", "Pod"))
        tabs = [
            ("overview", "Overview", self.url("detail"), None),
            ("nodes", "Nodes", self.url("nodes"), grouped(totals["nodes"])),
            ("pods", "Pods", self.url("pods"), grouped(totals["pods"])),
            ("objects", "Other objects", self.url("objects"), grouped(others)),
            ("history", "History", self.url("history"), grouped(self.newest)),
            ("agreement", "Agreement", self._url_above("agreement:page"), self._agreeing),
            ("capacity", "Capacity", self._url_of_draft_too("capacity:page"), None),
            ("upgrade", "Upgrade", self._url_above("upgrade:page"), None),
            ("drafts", "Drafts", self.url("drafts"), grouped(_drafts.all()[""].count(self.access, self.cluster))),
        ]
        if counts.get("ResourceSlice"):
            tabs.insert(3, ("devices", "Devices", self._url_of_draft_too("devices:page"), None))
        live = _live.all()[""](self.cluster)
        if live:
            tabs.insert(0, ("live", "Live", live, None))
        if self.draft:
            place = [self.access.workspace.slug, self.cluster.slug, self.draft.pk]
            tabs.insert(2 if live else 1, ("edit", "Editor", reverse("clusters:draft_edit", args=place), None))
        return {
            **(self.draft.context() if self.draft else {}),
            "page_context": self,
            "cluster": self.cluster,
            "revision": self.revision,
            "newest": self.newest,
            "is_newest": self.is_newest,
            "old_query": self._query,
            "tabs": tabs,
            "tab": tab,
            "overview_url": self.url("detail"),
            "figures": totals,
            "n_objects": sum(counts.values()),
            "run_url": run_url(self.access.workspace.slug, self.cluster),
            "can_edit": self.is_newest and self.access.member.may("editor") and not self.cluster.archived_at,
            **more,
        }


def read_page_context(access: Access, slug: str, query: Mapping[str, str]) -> PageContext:
    """Return the context of the page that the address names; raises NotFound for what is not there."""
    pk = optional_int(query, "draft", low=1, high=2**63 - 1)
    if pk is not None:
        draft = _drafts.all()[""].opened(access, slug, pk)
        return PageContext(access, draft.base.cluster, draft.base, draft=draft)
    named = Revision.objects.select_related("cluster__following", "author").filter(cluster__workspace=access.workspace)
    newest = named.filter(cluster__slug=slug).order_by("-number").first()
    if newest is None:
        newest = actions.newest_revision(find_cluster(access, slug))
    cluster = newest.cluster
    number = optional_int(query, "r", low=1, high=INT32_MAX)
    revision = newest if number in (None, newest.number) else actions.find_revision(cluster, number or 0)
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


def named_key(query: Mapping[str, str]) -> Key:
    """Return the object that the query has to name; raises BadQuery where it names none."""
    key = key_in(query)
    if key is None:
        raise BadQuery("Name the object: kind, name, and ns for kinds that live in a namespace.")
    return key


def key_query(key: Key) -> dict[str, str]:
    """Return the query that names an object."""
    named = {"kind": key.kind, "ns": key.namespace, "name": key.name}
    return {name: value for name, value in named.items() if value}
