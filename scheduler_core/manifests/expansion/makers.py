"""What custom kinds that make pods ask for: groups of pods, each with a number and a template."""

from __future__ import annotations

import msgspec

from scheduler_core.api.objects import OwnerReference, Pod
from scheduler_core.manifests.items import Item
from scheduler_core.manifests.kinds.metadata import Metadata
from scheduler_core.manifests.model import Path


class MadePods(msgspec.Struct, frozen=True, kw_only=True):
    """Pods of one template. They are named ``name`` where there is one alone, else by ``base`` and a suffix.

    ``owners`` is what they name, the controller first; pods of the input are of the group where they name one of these
    and have ``labels``. ``field`` is where their number is written. ``ends_all``: nothing is made once it has ended.
    """

    base: str
    name: str = ""
    count: int
    field: Path
    template: Pod
    owners: tuple[OwnerReference, ...]
    labels: dict[str, str]
    ends_all: bool = False


class PartNotPlayed(msgspec.Struct, frozen=True):
    """What is not played of an object of which pods are made: the ``part`` in words ("" where it is the whole object),
    what it ``does`` in a real cluster, and what that may falsify (``concerns``)."""

    part: str
    does: str
    concerns: str = "counts"


class ParsedMaker(msgspec.Struct, frozen=True, kw_only=True):
    """An object of a custom kind with the pods that it asks for, and what of it is not played."""

    item: Item
    meta: Metadata
    groups: tuple[MadePods, ...] = ()
    not_played: tuple[PartNotPlayed, ...] = ()


def owner_of(item: Item, meta: Metadata, *, controller: bool = True) -> OwnerReference:
    """What pods of the object name as their owner."""
    return OwnerReference(item.kind, meta.name, meta.uid, controller=controller, api_version=item.api_version)
