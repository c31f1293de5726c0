"""What the texts of a page refer to: members by handle, runs by number, nodes and pods of a run by name."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.clusters.revisions.object_store import read_index
from dashboard.common.lru_cache import LruCache
from dashboard.review import links
from dashboard.review.writing.markdown import LinkTarget, References, referenced
from dashboard.review.writing.people import people_of
from dashboard.runs.models import Cycle, Run

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Revision

# The names of a revision's nodes, by the hash of its content.
_nodes: LruCache[frozenset[str]] = LruCache(12)


def references_in(texts: Iterable[str], member: Member, run: Run | None, cycle: int | None = None) -> References:
    """Return what texts refer to: people, runs, and the pods and nodes of the run that they are about, if any.

    Links to a node stay at `cycle` where it is given. Some five queries.
    A pod may be named without its namespace where that is "default", or the one of the cycle's pod.
    """
    candidates = referenced(texts)
    slug = member.workspace.slug
    people = people_of(member.workspace)
    runs = Run.objects.filter(workspace=member.workspace, number__in=candidates.runs).only("number", "name")
    return References(
        people={handle: person.user.label for handle, person in people.items()},
        runs={one.number: LinkTarget(links.run_url(slug, one.number), one.name) for one in runs}
        if candidates.runs
        else {},
        objects=_objects(slug, run, cycle, candidates.names) if candidates.names and run is not None else {},
        me=next((handle for handle, person in people.items() if person.user.pk == member.user_id), ""),
    )


def _objects(slug: str, run: Run, cycle: int | None, names: Collection[str]) -> dict[str, LinkTarget]:
    path = links.run_url(slug, run.number)
    at = {"cycle": cycle} if cycle is not None else {}
    targets = {}
    for name, pod in _pods(run, cycle, names).items():
        targets[name] = LinkTarget(f"{path}?{urlencode({'select': pod})}", f"pod {pod}")
    for name in _node_names(run, names):
        targets[name] = LinkTarget(f"{path}?{urlencode({**at, 'node': name})}", f"node {name}")
    return targets


def _pods(run: Run, cycle: int | None, names: Collection[str]) -> dict[str, str]:
    """Return {as it is written: namespace/name} of the pods that the run tried."""
    about = Cycle.objects.filter(run_id=run.pk, number=cycle).values_list("pod", flat=True).first() if cycle else None
    namespaces = dict.fromkeys([*([about.partition("/")[0]] if about else []), "default"])
    spelled = {name: [name] if "/" in name else [f"{one}/{name}" for one in namespaces] for name in names}
    asked = {pod for pods in spelled.values() for pod in pods}
    there = set(Cycle.objects.filter(run_id=run.pk, pod__in=asked).values_list("pod", flat=True).distinct())
    return {name: pod for name, pods in spelled.items() for pod in pods[::-1] if pod in there}


def _node_names(run: Run, names: Collection[str]) -> set[str]:
    """Return which names are those of nodes: of the revision, or of ones that came during the run and were chosen."""
    at_start = nodes_of(run.revision)
    rest = {name for name in names if name not in at_start and "/" not in name}
    chosen = Cycle.objects.filter(run_id=run.pk, node__in=rest).values_list("node", flat=True).distinct()
    return {name for name in names if name in at_start} | set(chosen if rest else ())


def nodes_of(revision: Revision) -> frozenset[str]:
    """Return the names of a revision's nodes; its cluster is loaded. No manifest is read."""
    key = (revision.cluster.workspace_id, revision.sha256)
    return _nodes.get(key, lambda: frozenset(one.key[2] for one in read_index(revision) if one.key[0] == "Node"))
