"""Groups of Karpenter's NodePools: what a pool asks of its nodes, with the shapes that are known.

The cluster does not say which instance types there are. So a shape is one of a node at hand, of the pool or of another
one whose labels meet the requirements, or one that somebody gave. A group is one shape in one zone: of the zones in
which the shape is at hand, and of those that the pool names.

Sources: https://karpenter.sh/docs/concepts/nodepools/, https://karpenter.sh/docs/concepts/scheduling/ (well-known
labels), the project's pkg/apis/v1/labels.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from scheduler_core.api.labels import NODE_OPERATORS, Requirement
from scheduler_core.api.objects import Node, Resources
from scheduler_core.api.taints import Taint
from scheduler_core.api.unplayed import UnplayedObject
from scheduler_core.capacity.groups.labels import POOL_LABELS, ZONE, group_name, newest, shape_of, zone_of
from scheduler_core.capacity.groups.model import GroupError, NodeGroup, template_of
from scheduler_core.capacity.groups.raw_objects import ObjectFields
from scheduler_core.manifests.kinds.nodes import read_taints
from scheduler_core.manifests.kinds.resource_lists import read_resources
from scheduler_core.manifests.kinds.selectors import requirement

POOL_LABEL = "karpenter.sh/nodepool"
_CAPACITY_TYPE = "karpenter.sh/capacity-type"
_CAPACITY_TYPES = ("spot", "on-demand", "reserved")
"""Karpenter prefers spot where a pool allows it; reserved capacity is not there unless somebody bought it."""
_OF_SHAPE = frozenset((
    "kubernetes.io/arch", "kubernetes.io/os", "beta.kubernetes.io/arch", "beta.kubernetes.io/os",
    "node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type", "node.kubernetes.io/windows-build",
    _CAPACITY_TYPE,
))  # fmt: skip
_OF_SHAPE_PREFIXES = (
    *("topology.", "failure-domain.beta.kubernetes.io/", "karpenter.k8s.aws/instance-", "eks.amazonaws.com/instance-"),
    *("karpenter.azure.com/sku-", "karpenter.k8s.gcp/instance-"),
)
"""Labels that the instance type and its place give a node; all others are of the pool."""
_MOST_ZONES = 64
_ZONE_ID = "topology.k8s.aws/zone-id"


class _Pool(NamedTuple):
    name: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    requirements: tuple[Requirement, ...]
    limits: Resources
    most_nodes: int | None
    says: str


class _Shape(NamedTuple):
    """A node of the pool, and where that is known from; ``given`` is the group that somebody gave."""

    node: Node
    known_by: str
    given: NodeGroup | None = None


def weight_of(one: UnplayedObject) -> int:
    """The pool's weight, 0 without one: Karpenter tries the pools of the highest weight first."""
    weight = ObjectFields(one).at("spec", "weight").raw if one.fields else None
    return weight if isinstance(weight, int) else 0


def groups_of_node_pool(
    one: UnplayedObject, nodes: Sequence[Node], given: Sequence[NodeGroup] = ()
) -> tuple[list[NodeGroup], list[str]]:
    """The groups of a NodePool, and the names of those of the ``given`` groups that are shapes of it; with given ones
    no node at hand is looked at for shapes. Raises GroupError where none is known."""
    pool = _read(one)
    own = [node for node in nodes if node.labels.get(POOL_LABEL) == pool.name]
    shapes: dict[tuple[str, str, str], _Shape] = {}
    for shape in _of_given(pool, given) if given else _at_hand(pool, own, nodes):
        name = shape.given.name if shape.given else shape_of(shape.node)
        shapes.setdefault((name, zone_of(shape.node), shape_of(shape.node)), shape)
    if not shapes:
        raise GroupError("no shape of it is known: no node at hand meets its requirements")
    pairs = [key[:2] for key in shapes]
    groups = [
        _group(pool, shape, group_name(pool.name, name, zone, pairs), _present(own, kind, zone), own)
        for (name, zone, kind), shape in shapes.items()
    ]
    return groups, [shape.given.name for shape in shapes.values() if shape.given]


def _read(one: UnplayedObject) -> _Pool:
    fields = ObjectFields(one)
    template, limits = fields.at("spec", "template"), fields.at("spec", "limits")
    most_nodes = limits.get("nodes").quantity("nodes")
    asked = template.get("spec").get("requirements").items()
    pool = _Pool(
        name=one.name,
        labels=template.get("metadata").get("labels").labels(),
        taints=read_taints(template.get("spec").get("taints")),
        requirements=tuple([requirement(at, NODE_OPERATORS) for at in asked]),
        limits={name: most for name, most in read_resources(limits).items() if name != "nodes"},
        most_nodes=most_nodes,
        says=_not_ready(fields),
    )
    fields.check()
    return pool


def _not_ready(fields: ObjectFields) -> str:
    """What the condition Ready says where it is False: Karpenter passes such a pool over."""
    for at in fields.at("status", "conditions").items():
        if at.get("type").raw == "Ready" and at.get("status").raw == "False":
            return f"its condition Ready is False: {at.get('message').text() or 'without a message'}"
    return ""


def _at_hand(pool: _Pool, own: Sequence[Node], nodes: Iterable[Node]) -> Iterator[_Shape]:
    """The pool's own shapes before those of other nodes, zones in which a shape is at hand before others."""
    distinct = [*_distinct(own), *_distinct(node for node in nodes if node.labels.get(POOL_LABEL) != pool.name)]
    firsts = {shape_of(node): node for node in reversed(distinct)}.values()
    asked = [(node, "") for node in distinct] + [(node, zone) for node in firsts for zone in _zones(pool)]
    for node, zone in asked:
        if (template := _template(pool, node, zone)) is not None:
            yield _Shape(template, f"shape of node {node.name}")


def _of_given(pool: _Pool, given: Iterable[NodeGroup]) -> Iterator[_Shape]:
    for group in given:
        label = next((one for one in POOL_LABELS if one in group.template.labels), "")
        is_of_another = label and (label, group.template.labels[label]) != (POOL_LABEL, pool.name)
        template = None if is_of_another else _template(pool, group.template)
        if template is not None:
            yield _Shape(template, f"shape of group {group.name}", group)


def _distinct(nodes: Iterable[Node]) -> list[Node]:
    """Of nodes with the same labels of their shape the newest one."""
    alike: dict[tuple[tuple[str, str], ...], list[Node]] = {}
    for node in nodes:
        alike.setdefault(tuple(sorted(_shape_labels(node).items())), []).append(node)
    return [newest(several) for several in alike.values()]


def _shape_labels(node: Node) -> dict[str, str]:
    return {key: value for key, value in node.labels.items() if _is_of_shape(key)}


def _is_of_shape(key: str) -> bool:
    return key in _OF_SHAPE or key.startswith(_OF_SHAPE_PREFIXES)


def _zones(pool: _Pool) -> tuple[str, ...]:
    """The zones that the pool names and allows."""
    asked = [one for one in pool.requirements if one.key == ZONE]
    named = dict.fromkeys(zone for one in asked if one.operator == "In" for zone in one.values)
    return tuple([zone for zone in named if all(one.holds_for(zone) for one in asked)])[:_MOST_ZONES]


def _template(pool: _Pool, node: Node, zone: str = "") -> Node | None:
    """A node of the pool with this one's shape, in its zone or in another one; None where the pool takes none such."""
    is_own = node.labels.get(POOL_LABEL) == pool.name
    labels = dict(template_of(node).labels) if is_own else _shape_labels(node)
    if zone:
        before = zone_of(node)
        if not before or before == zone:
            return None
        labels = {
            key: zone if key.endswith("/zone") and value == before else value
            for key, value in labels.items()
            if key != _ZONE_ID
        }
    asked = pool.requirements
    types = [one for one in asked if one.key == _CAPACITY_TYPE]
    if not all(one.matches(labels) for one in types):
        allowed = (one for one in _CAPACITY_TYPES if all(each.holds_for(one) for each in types))
        chosen = next(allowed, "")
        if not chosen:
            return None
        labels[_CAPACITY_TYPE] = chosen
    # Of labels that are not the instance type's Karpenter gives the node one that the pool names.
    labels |= {one.key: one.values[0] for one in asked if one.operator == "In" and not _is_of_shape(one.key)}
    labels |= {**pool.labels, POOL_LABEL: pool.name}
    if not all(_meets(one, labels) for one in asked if _is_of_shape(one.key)):
        return None
    bare = template_of(node)
    if not is_own:
        bare = replace(bare, annotations={}, images=())
    return replace(bare, labels=labels, taints=pool.taints)


def _meets(one: Requirement, labels: Mapping[str, str]) -> bool:
    """Whether the shape meets the requirement: a label that is not there says nothing of it."""
    return (one.key in labels or one.operator == "DoesNotExist") and one.matches(labels)


def _present(own: Iterable[Node], shape: str, zone: str) -> tuple[str, ...]:
    return tuple([node.name for node in own if (shape_of(node), zone_of(node)) == (shape, zone)])


def _group(pool: _Pool, shape: _Shape, name: str, present: tuple[str, ...], own: Sequence[Node]) -> NodeGroup:
    """The group; of the pool's limits what its nodes of other groups leave."""
    inside = set(present)
    others = [node for node in own if node.name not in inside]
    limits = {
        resource: most - sum(node.capacity.get(resource, 0) for node in others)
        for resource, most in pool.limits.items()
    }
    bounds = [] if pool.most_nodes is None else [max(0, pool.most_nodes - len(others))]
    given = shape.given
    bounds += [] if given is None or given.maximum is None else [given.maximum]
    return NodeGroup(
        name=name,
        template=shape.node,
        minimum=given.minimum if given else 0,
        maximum=min(bounds) if bounds else None,
        price=given.price if given else None,
        present=present,
        limits=limits,
        source=f"NodePool {pool.name}, {shape.known_by}",
        says=pool.says,
    )
