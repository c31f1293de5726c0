"""A field of the guide, and short ways to write one."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class GuideField(msgspec.Struct, frozen=True, omit_defaults=True):
    """One field: ``sort`` names its value, ``part`` the mapping below it (of each entry, where ``is_list``).

    ``choices`` are all values that are taken; ``ideas`` are values or keys that people often write, of many.
    Where the mapping below depends on what is written: ``by_name`` has the part for each value of the ``name`` beside,
    and ``is_object`` says that it is an object with the fields of its own kind. ``is_keyed``: keys are free, and
    ``part`` is what stands below each.
    """

    says: str
    sort: str = ""
    choices: tuple[str, ...] = ()
    ideas: tuple[str, ...] = ()
    default: str = ""
    part: str = ""
    is_list: bool = False
    by_name: Mapping[str, str] = {}
    is_object: bool = False
    is_keyed: bool = False


Part = Mapping[str, GuideField]

UNREAD = "Kept as it is: no decision of the scheduler depends on it."
LABEL_KEYS = (
    "kubernetes.io/hostname",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "node.kubernetes.io/instance-type",
    "kubernetes.io/arch",
    "kubernetes.io/os",
)
RESOURCES = ("cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "hugepages-2Mi")


def text(says: str, default: str = "", ideas: tuple[str, ...] = ()) -> GuideField:
    """A text."""
    return GuideField(says, "text", default=default, ideas=ideas)


def whole(says: str, default: str = "") -> GuideField:
    """A whole number."""
    return GuideField(says, "whole number", default=default)


def flag(says: str, default: str = "false") -> GuideField:
    """A truth value."""
    return GuideField(says, "true or false", ("true", "false"), default=default)


def amount(says: str) -> GuideField:
    """A quantity."""
    return GuideField(says, "quantity such as 500m or 4Gi")


def choice(choices: tuple[str, ...], says: str, default: str = "") -> GuideField:
    """A text out of a few."""
    return GuideField(says, "text", choices, default=default)


def share(says: str) -> GuideField:
    """A whole number or a percentage."""
    return GuideField(says, "whole number or percentage")


def labels(says: str, ideas: tuple[str, ...] = LABEL_KEYS) -> GuideField:
    """A mapping of free keys to texts."""
    return GuideField(says, "mapping of texts", ideas=ideas)


def amounts(says: str, ideas: tuple[str, ...] = RESOURCES) -> GuideField:
    """A mapping of resources to quantities."""
    return GuideField(says, "mapping of resources to quantities", ideas=ideas)


def texts(says: str, choices: tuple[str, ...] = (), ideas: tuple[str, ...] = ()) -> GuideField:
    """A list of texts."""
    return GuideField(says, "list of texts", choices, ideas, is_list=True)


def one(part: str, says: str) -> GuideField:
    """A mapping with the fields of a part."""
    return GuideField(says, "mapping", part=part)


def many(part: str, says: str) -> GuideField:
    """A list of mappings with the fields of a part."""
    return GuideField(says, "list", part=part, is_list=True)


def keyed(part: str, says: str, ideas: tuple[str, ...] = ()) -> GuideField:
    """A mapping of free keys to mappings with the fields of a part."""
    return GuideField(says, "mapping by name", ideas=ideas, part=part, is_keyed=True)


def unread(*names: str) -> dict[str, GuideField]:
    """Fields that are known and kept, and that no decision depends on."""
    return {name: GuideField(UNREAD, "any value") for name in names}
