"""Groups from their file form: ``kind: NodeGroups`` with groups of a node at hand (``like``) or of a ``template``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scheduler_core.api.objects import Node
from scheduler_core.capacity.groups.model import NodeGroup, like, template_of
from scheduler_core.manifests.checking.names import dns_label_problem
from scheduler_core.manifests.loader import load_manifests
from scheduler_core.manifests.model import Path, path_text, quoted

API_VERSION, KIND = "schedscope/v1", "NodeGroups"
MOST_GROUPS_OF_A_FILE = 1_000
_FIELDS = ("name", "like", "template", "min", "max", "price")


class GroupsError(ValueError):
    """A file of groups that cannot be read; the message names group and field, ``path`` leads there from the root."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(f"{path_text(path)}: {message}")
        self.path = path


def groups_from_raw(raw: Any, nodes: Mapping[str, Node]) -> list[NodeGroup]:
    """The groups of ``{apiVersion: schedscope/v1, kind: NodeGroups, groups: [{name, like: NODE | template: {a node},
    min, max, price}]}``; ``nodes`` are those at hand, by name. Raises GroupsError."""
    if not isinstance(raw, Mapping) or raw.get("kind") != KIND or raw.get("apiVersion") != API_VERSION:
        raise GroupsError(("kind",), f"write apiVersion: {API_VERSION}, kind: {KIND}")
    given = raw.get("groups")
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise GroupsError(("groups",), "a list is needed, such as groups: [{name: general, like: n1, max: 10}]")
    if len(given) > MOST_GROUPS_OF_A_FILE:
        raise GroupsError(("groups",), f"{len(given):,} are more than the {MOST_GROUPS_OF_A_FILE:,} allowed")
    groups = [_group(("groups", i), one, nodes) for i, one in enumerate(given)]
    for i, group in enumerate(groups):
        if any(one.name == group.name for one in groups[:i]):
            raise GroupsError(("groups", i, "name"), f"{quoted(group.name)} is given twice. Choose another name")
    return groups


def _group(path: Path, raw: Any, nodes: Mapping[str, Node]) -> NodeGroup:
    if not isinstance(raw, Mapping):
        raise GroupsError(path, "a mapping with name and like or template is needed")
    unknown = sorted(set(map(str, raw)) - set(_FIELDS))
    if unknown:
        raise GroupsError((*path, unknown[0]), f"is no known field; known are {', '.join(_FIELDS)}")
    name = raw.get("name")
    problem = dns_label_problem(name) if isinstance(name, str) and name else "write a name, such as general"
    if problem:
        raise GroupsError((*path, "name"), problem)
    group = _template(path, raw, nodes, str(name))
    least, most = _count((*path, "min"), raw.get("min", 0)), raw.get("max")
    maximum = None if most is None else _count((*path, "max"), most)
    if maximum is not None and maximum < least:
        raise GroupsError((*path, "max"), f"{maximum:,} is less than the minimum of {least:,}")
    return replace(
        group, minimum=least, maximum=maximum, price=_price((*path, "price"), raw.get("price")), source="file"
    )


def _template(path: Path, raw: Mapping[str, Any], nodes: Mapping[str, Node], name: str) -> NodeGroup:
    model, template = raw.get("like"), raw.get("template")
    if (model is None) == (template is None):
        raise GroupsError(path, "write either like: a node's name, or template: a node")
    if model is not None:
        if not isinstance(model, str) or model not in nodes:
            raise GroupsError((*path, "like"), f"there is no node {quoted(model)}")
        return like(nodes[model], name)
    if not isinstance(template, Mapping):
        raise GroupsError(
            (*path, "template"), "a node is needed: metadata with labels, spec with taints, status with allocatable"
        )
    meta = template.get("metadata")
    named = {**(meta if isinstance(meta, Mapping) else {}), "name": name}
    result = load_manifests([{"apiVersion": "v1", **template, "kind": "Node", "metadata": named}])
    if result.errors or not result.objects.nodes:
        said = result.errors[0].text() if result.errors else "this is no node"
        raise GroupsError((*path, "template"), said)
    node = result.objects.nodes[0]
    if not node.allocatable.get("cpu"):
        raise GroupsError((*path, "template", "status", "allocatable"), "write cpu, memory and pods of such a node")
    return NodeGroup(name=name, template=template_of(node))


def _count(path: Path, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 1_000_000:
        raise GroupsError(path, f"{quoted(value)} is no number of nodes")
    return value


def _price(path: Path, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e9:
        raise GroupsError(path, f"{quoted(value)} is no price of a node for an hour")
    return float(value)
