"""All objects of a cluster as a tree with one open branch, or the list of those that a filter finds; both in pages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from dashboard.clusters.editor.draft_forms import SELECTING, selecting
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.workbench.filtering import BadFilter, Filter, parse_filter
from dashboard.common.http.params import text_param
from dashboard.common.pages.pagination import Page, paginate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dashboard.clusters.revisions.contents import Contents

PAGE_SIZE = 40
NAME_LIMIT = 600
PAGE_PARAM = "lines"
SEPARATOR = "/"
FIRST_KINDS = ("Node", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "Pod")
NONE = {"Node": ("no zone", "no pool"), "Pod": ("", "no workload")}


@dataclass(slots=True)
class TreeObject:
    """An object, or a pod that a workload makes. `path` are the groups it stands in: its kind, and for nodes zone and
    pool, for pods namespace and workload, for others their namespace; `key` is the stored object it comes from.
    """

    kind: str
    namespace: str
    name: str
    path: tuple[str, ...]
    key: Key
    haystack: str

    @property
    def is_stored(self) -> bool:
        """Return whether it is an object itself."""
        return self.key.name == self.name and self.key.kind == self.kind

    @property
    def query(self) -> dict[str, str]:
        """Return the parameters that select it."""
        return selecting(Key(self.kind, self.namespace, self.name))


@dataclass(frozen=True)
class ObjectTreeLine:
    """A line of the tree: a group (`path` is set) with its number of objects, or one object (`item` is set).

    `changed` is the number of changed objects of a group, or what happened to the object ("added", "changed").
    """

    depth: int
    name: str
    url: str
    count: int = 0
    changed: Any = 0
    is_open: bool = False
    is_selected: bool = False
    at: str = ""
    item: TreeObject | None = None

    @property
    def object_query(self) -> str:
        """Return the parameters that select the object, for kinds that the map does not know."""
        return urlencode(self.item.query) if self.item and self.item.kind not in ("Node", "Pod") else ""


@dataclass(frozen=True)
class Tree:
    """The lines to show, the page of objects among them, and the filter with what is wrong with it."""

    lines: list[ObjectTreeLine]
    page: Page[TreeObject]
    q: str
    at: str
    is_found: bool
    problem: str = ""

    @property
    def previous(self) -> str:
        """Return the query of the page of objects before this one."""
        return self._part(self.page.number - 1)

    @property
    def next(self) -> str:
        """Return the query of the page of objects after this one."""
        return self._part(self.page.number + 1)

    def _part(self, number: int) -> str:
        asked = {"q": self.q, "at": self.at, PAGE_PARAM: str(number)}
        return urlencode({name: value for name, value in asked.items() if value})


def tree_items(contents: Contents) -> list[TreeObject]:
    """Return everything that the cluster holds, kind by kind; computed once per state."""
    return contents.ordered("workbench", "", lambda: list(_items(contents)))


def _items(contents: Contents) -> Iterator[TreeObject]:
    rows = contents.rows
    has_zones, has_pools = (any(getattr(row, name) for row in rows.nodes) for name in ("zone", "pool"))
    for node in rows.nodes:
        groups = [part for part, is_used in ((node.zone, has_zones), (node.pool, has_pools)) if is_used]
        yield TreeObject("Node", "", node.name, ("Node", *groups), node.key, node.haystack)
    for pod in rows.pods:
        key = pod.source or Key("Pod", pod.namespace, pod.name)
        yield TreeObject("Pod", pod.namespace, pod.name, ("Pod", pod.namespace, pod.owner), key, pod.haystack)
    for key in contents.by_key:
        if key.kind not in ("Node", "Pod"):
            groups = [key.namespace] if key.namespace else []
            yield TreeObject(key.kind, key.namespace, key.name, (key.kind, *groups), key, "\n".join(key).casefold())


def build_tree(contents: Contents, changed: Mapping[Key, str], query: Mapping[str, str]) -> Tree:
    """Return the tree that the address asks for: `q` filters, `at` is the open branch, `lines` the page of its objects.

    `changed` says what a draft did to objects.
    """
    q, at = text_param(query, "q", NAME_LIMIT), text_param(query, "at", NAME_LIMIT)
    links = _Links(query)
    problem, asked = "", Filter()
    try:
        asked = parse_filter(q)
    except BadFilter as bad:
        problem = str(bad)
    items = tree_items(contents)
    if not asked.is_empty:
        page = paginate(found_by(contents, asked), query, PAGE_SIZE, PAGE_PARAM)
        return Tree([links.leaf(one, 0, changed) for one in page.items], page, q, at, is_found=True)
    lines, page = _branch(items, changed, links, at)
    return Tree(lines, page, q, at, is_found=False, problem=problem)


def opened_at_selected(contents: Contents, query: Mapping[str, str]) -> Mapping[str, str]:
    """Return the query with branch and page of the selected object, where it asks for no other ones and no filter."""
    selected = {name: query[name] for name in SELECTING if query.get(name)}
    if not selected or any(query.get(name) for name in ("q", "at", PAGE_PARAM)):
        return query
    name = selected.get("name") or selected.get("node") or selected.get("pod", "").rpartition("/")[2]
    items = tree_items(contents)
    item = next((one for one in items if one.name == name and one.query == selected), None)
    if item is None:
        return query
    before = [one.name for one in items if one.path == item.path].index(name)
    opened = {"at": SEPARATOR.join(item.path), PAGE_PARAM: str(before // PAGE_SIZE + 1)}
    return {**query, **opened}


def found_by(contents: Contents, asked: Filter) -> list[TreeObject]:
    """Return the objects for which a filter holds."""
    matches = [
        item
        for item in tree_items(contents)
        if (not asked.kinds or item.kind in asked.kinds)
        and (not asked.namespace or item.namespace == asked.namespace)
        and asked.has_words(item.haystack)
    ]
    if asked.labels is None:
        return matches
    return [item for item in matches if asked.labels.matches(object_labels(contents, item))]


def object_labels(contents: Contents, item: TreeObject) -> Mapping[str, str]:
    """Return the labels of an object, or of the pod that a workload makes."""
    if item.kind == "Node":
        return contents.nodes[item.name].labels
    if item.kind == "Pod":
        return contents.pods[item.namespace, item.name].labels
    metadata = contents.by_key[item.key].get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    return labels if isinstance(labels, dict) else {}


class _Links:
    """Addresses of the editor with the other parameters kept."""

    def __init__(self, query: Mapping[str, str]):
        self.query = {name: value for name, value in query.items() if value and name != PAGE_PARAM}
        self.whole = query
        self.selected = {name: query[name] for name in SELECTING if query.get(name)}

    def branch(self, at: str) -> str:
        rest = {name: value for name, value in self.query.items() if name not in ("at", "q")}
        return "?" + urlencode({**rest, **({"at": at} if at else {})})

    def leaf(self, item: TreeObject, depth: int, changed: Mapping[Key, str]) -> ObjectTreeLine:
        rest = {name: value for name, value in self.whole.items() if name not in SELECTING and value}
        what = changed.get(item.key, "") if item.is_stored else ""
        is_selected = item.query == self.selected
        return ObjectTreeLine(
            depth, item.name, "?" + urlencode(rest | item.query), changed=what, is_selected=is_selected, item=item
        )


def _branch(
    items: list[TreeObject], changed: Mapping[Key, str], links: _Links, at: str
) -> tuple[list[ObjectTreeLine], Page[TreeObject]]:
    """Return the groups along the open branch, each followed by what stands in it."""
    opened = at.split(SEPARATOR) if at else []
    before: list[ObjectTreeLine] = []
    after: list[list[ObjectTreeLine]] = []
    path: tuple[str, ...] = ()
    page = paginate([], {}, PAGE_SIZE, PAGE_PARAM)
    inside: Sequence[TreeObject] = items
    while True:
        depth = len(path)
        groups = Counter(item.path[depth] for item in inside if len(item.path) > depth)
        if not groups:
            page = paginate(inside, links.whole, PAGE_SIZE, PAGE_PARAM)
            before += [links.leaf(item, depth, changed) for item in page.items]
            break
        touched = Counter(item.path[depth] for item in inside if item.is_stored and item.key in changed)
        step = opened[depth] if len(opened) > depth and opened[depth] in groups else None
        lines = [
            _group((*path, name), count, touched[name], links, is_open=name == step)
            for name, count in sorted(groups.items(), key=lambda one: _order(one[0], depth))
        ]
        place = next((n for n, line in enumerate(lines) if line.is_open), None)
        if step is None or place is None:
            before += lines
            break
        before += lines[: place + 1]
        after.append(lines[place + 1 :])
        inside = [item for item in inside if len(item.path) > depth and item.path[depth] == step]
        path = (*path, step)
    return [*before, *(line for lines in reversed(after) for line in lines)], page


def _group(path: tuple[str, ...], count: int, touched: int, links: _Links, *, is_open: bool) -> ObjectTreeLine:
    at = SEPARATOR.join(path[:-1] if is_open else path)
    depth = len(path) - 1
    names = NONE.get(path[0], ())
    name = path[-1] or (names[depth - 1] if 0 < depth <= len(names) else "") or "none"
    return ObjectTreeLine(depth, name, links.branch(at), count, touched, is_open, at=at)


def _order(name: str, depth: int) -> tuple[int, str]:
    if depth or name not in FIRST_KINDS:
        return (len(FIRST_KINDS), name)
    return (FIRST_KINDS.index(name), name)
