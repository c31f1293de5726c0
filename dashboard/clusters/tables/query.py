"""The tables of a cluster: parameters in the address, sorting (once per revision), filtering and paging."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from dashboard.clusters.revisions.object_rows import STATUSES
from dashboard.clusters.tables.device_facts import device_facts
from dashboard.common.http.params import choice_param, text_param
from dashboard.common.pages.pagination import Page, paginate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dashboard.clusters.revisions.contents import Contents
    from dashboard.clusters.revisions.object_keys import Key
    from dashboard.clusters.revisions.object_rows import NodeRow, PodRow

PAGE_SIZE = 50
NAME_LIMIT = 600


@dataclass(frozen=True)
class Column:
    """A column that the table can be sorted by; `falling` first shows the largest."""

    name: str
    title: str
    key: Callable[[Any], Any]
    falling: bool = False
    cls: str = ""


NODE_COLUMNS = (
    Column("name", "Node", lambda row: row.name),
    Column("zone", "Zone", lambda row: (not row.zone, row.zone, row.name)),
    Column("pool", "Pool", lambda row: (not row.pool, row.pool, row.name)),
    Column("cpu", "CPU requested", lambda row: row.share("cpu"), falling=True),
    Column("memory", "Memory requested", lambda row: row.share("memory"), falling=True),
    Column("pods", "Pods", lambda row: row.n_pods, falling=True, cls="num"),
)
POD_COLUMNS = (
    Column("name", "Pod", lambda row: (row.namespace, row.name)),
    Column("status", "Status", lambda row: (-STATUSES.index(row.status), row.node, row.namespace, row.name)),
    Column("priority", "Priority", lambda row: row.priority, falling=True, cls="num"),
    Column("cpu", "CPU", lambda row: row.requests.get("cpu", 0), falling=True, cls="num"),
    Column("memory", "Memory", lambda row: row.requests.get("memory", 0), falling=True, cls="num"),
)
OBJECT_COLUMNS = (
    Column("kind", "Kind", lambda row: (row.key.kind, row.key.namespace, row.key.name)),
    Column("name", "Name", lambda row: (row.key.name, row.key.namespace)),
    Column("namespace", "Namespace", lambda row: (row.key.namespace, row.key.name)),
)
NODE_STATES = ("all", "cordoned", "tainted", "empty")
POD_STATES = ("all", *STATUSES)


@dataclass(frozen=True)
class Heading:
    """A column's head: its name, title, the address that sorts by it, and its order now ("", ascending, descending).

    `first` is the order that a first click gives.
    """

    name: str
    title: str
    url: str
    order: str
    cls: str
    first: str

    @property
    def icon(self) -> str:
        """Return the icon of the order or, where another column sorts the table, of the one that a click gives."""
        return {"ascending": "up", "descending": "arrowdown"}[self.order or self.first]


@dataclass
class Table:
    """One page of a table with all that its head and search field show."""

    page: Page[Any]
    headings: list[Heading]
    q: str
    sort: str
    total: int
    choices: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


def node_table(contents: Contents, query: Mapping[str, str]) -> Table:
    """Return the nodes that the query asks for: q, zone, state, sort, page."""
    rows = contents.rows.nodes
    state = choice_param(query, "state", NODE_STATES, "all")
    zone = text_param(query, "zone", NAME_LIMIT)
    ordered = _ordered(contents, "nodes", rows, NODE_COLUMNS, query)
    selected: Iterable[NodeRow] = ordered
    if state != "all":
        selected = [row for row in selected if _node_is(row, state)]
    if zone:
        selected = [row for row in selected if row.zone == zone]
    return _table(selected, rows, NODE_COLUMNS, query, {"state": state, "zone": zone})


def pod_table(contents: Contents, query: Mapping[str, str]) -> Table:
    """Return the pods that the query asks for: q, status, node, sort, page."""
    rows = contents.rows.pods
    status = choice_param(query, "status", POD_STATES, "all")
    node = text_param(query, "node", NAME_LIMIT)
    ordered = _ordered(contents, "pods", rows, POD_COLUMNS, query)
    selected: Iterable[PodRow] = ordered
    if status != "all":
        selected = [row for row in selected if row.status == status]
    if node:
        selected = [row for row in selected if row.node == node]
    return _table(selected, rows, POD_COLUMNS, query, {"status": status, "node": node})


def node_columns_in_use(contents: Contents) -> dict[str, bool]:
    """Return which columns of the node table would not be empty: zone, pool, devices, taints."""

    def find() -> list[Any]:
        rows = contents.rows.nodes
        in_use = {"zone": any(row.zone for row in rows), "pool": any(row.pool for row in rows)}
        in_use["devices"] = any(row.extended for row in rows)
        return [{**in_use, "taints": any(row.taints for row in rows)}]

    return dict(contents.ordered("nodes in use", "", find)[0])


def pod_columns_in_use(contents: Contents) -> dict[str, bool]:
    """Return which columns of the pod table would not be empty: others (resources), source (workload, scheduler)."""

    def find() -> list[Any]:
        rows = contents.rows.pods
        odd = any(row.is_expanded or row.scheduler != "default-scheduler" for row in rows)
        return [{"others": any(row.extended for row in rows), "source": odd}]

    return dict(contents.ordered("pods in use", "", find)[0])


def _node_is(row: NodeRow, state: str) -> bool:
    if state == "cordoned":
        return row.is_cordoned
    return bool(row.taints) if state == "tainted" else row.n_pods == 0


@dataclass(slots=True)
class ObjectRow:
    """An object other than a node or pod, with the important facts in a few words."""

    key: Key
    facts: str
    haystack: str


def object_rows(contents: Contents) -> list[ObjectRow]:
    """Return the objects that are neither nodes nor pods, in the order of the revision."""
    return contents.ordered("objects", "", lambda: [
        ObjectRow(key, object_facts(key.kind, contents.by_key[key]), "\n".join(key).casefold())
        for key in contents.by_key
        if key.kind not in ("Node", "Pod")
    ])  # fmt: skip


def object_table(contents: Contents, query: Mapping[str, str]) -> Table:
    """Return the other objects that the query asks for: q, kind, sort, page."""
    rows = object_rows(contents)
    kinds: dict[str, int] = {}
    for row in rows:
        kinds[row.key.kind] = kinds.get(row.key.kind, 0) + 1
    kind = text_param(query, "kind", NAME_LIMIT)
    selected: Iterable[ObjectRow] = _ordered(contents, "objects", rows, OBJECT_COLUMNS, query)
    if kind:
        selected = [row for row in selected if row.key.kind == kind]
    table = _table(selected, rows, OBJECT_COLUMNS, query, {"kind": kind})
    table.counts = dict(sorted(kinds.items()))
    return table


def _sort_column(query: Mapping[str, str], columns: Sequence[Column]) -> str:
    names = [column.name for column in columns]
    return choice_param(query, "sort", [*names, *(f"-{name}" for name in names)], "")


def _ordered(
    contents: Contents, name: str, rows: Sequence[Any], columns: Sequence[Column], query: Mapping[str, str]
) -> list[Any]:
    sort = _sort_column(query, columns)
    if not sort:
        return list(rows)
    key = next(column.key for column in columns if column.name == sort.lstrip("-"))
    return contents.ordered(name, sort, lambda: sorted(rows, key=key, reverse=sort.startswith("-")))


def _table(
    selected: Iterable[Any],
    rows: Sequence[Any],
    columns: Sequence[Column],
    query: Mapping[str, str],
    chosen: dict[str, str],
) -> Table:
    q = text_param(query, "q")
    terms = q.casefold().split()
    matching = [row for row in selected if all(word in row.haystack for word in terms)] if terms else list(selected)
    sort = _sort_column(query, columns)
    headings = [_heading(column, sort, query) for column in columns]
    return Table(paginate(matching, query, PAGE_SIZE), headings, q, sort, len(rows), chosen)


def _heading(column: Column, sort: str, query: Mapping[str, str]) -> Heading:
    rising, falling = column.name, f"-{column.name}"
    first, second = (falling, rising) if column.falling else (rising, falling)
    next_sort = second if sort == first else first
    orders = {rising: "ascending", falling: "descending"}
    order = orders.get(sort, "")
    others = {name: value for name, value in query.items() if name not in ("sort", "page")}
    url = "?" + urlencode({**others, "sort": next_sort})
    return Heading(column.name, column.title, url, order, column.cls, orders[first])


# ---------------------------------------------------------------- facts


def object_facts(kind: str, raw: Mapping[str, Any]) -> str:
    """Return the important facts about an object in a few words; empty for kinds without any."""
    spec = raw.get("spec")
    source = spec if isinstance(spec, dict) and kind not in TOP_LEVEL else raw
    shown = [f"{word} {text}" for name, word in FACTS.get(kind, ()) if (text := _in_words(source.get(name)))]
    return (", ".join(shown) or device_facts(kind, raw))[:200]


TOP_LEVEL = ("PriorityClass", "StorageClass", "RuntimeClass")
FACTS: dict[str, tuple[tuple[str, str], ...]] = {
    "PriorityClass": (("value", "value"), ("globalDefault", "global default"), ("preemptionPolicy", "preemption")),
    "PodDisruptionBudget": (("minAvailable", "min available"), ("maxUnavailable", "max unavailable")),
    "Deployment": (("replicas", "replicas"),),
    "ReplicaSet": (("replicas", "replicas"),),
    "StatefulSet": (("replicas", "replicas"),),
    "ReplicationController": (("replicas", "replicas"),),
    "Rollout": (("replicas", "replicas"),),
    "Job": (("parallelism", "parallelism"), ("completions", "completions")),
    "StorageClass": (("provisioner", "by"), ("volumeBindingMode", "binding")),
    "PersistentVolumeClaim": (("storageClassName", "class"), ("volumeName", "volume")),
    "PersistentVolume": (("storageClassName", "class"),),
    "PodGroup": (("minMember", "min member"),),
    "ElasticQuota": (("min", "min"), ("max", "max")),
    "ResourceQuota": (("hard", "at most"),),
    "RuntimeClass": (("handler", "by"),),
    "Service": (("type", "type"), ("clusterIP", "at")),
}


def _in_words(value: Any) -> str:
    """A plain value, or the plain values of a mapping with their names; empty for everything else."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items() if _is_plain(one))
    return str(value) if _is_plain(value) else ""


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int) and value != "" and value is not False
