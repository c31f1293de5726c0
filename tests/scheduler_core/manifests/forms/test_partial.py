"""Of an object that an input shows several times the fullest counts."""

from __future__ import annotations

from typing import Any, NamedTuple

from scheduler_core.manifests.forms.model import COUNTED, READ_FROM, SHOWN
from scheduler_core.manifests.forms.partial import fullest


class Shown(NamedTuple):
    """An object as the loader holds it."""

    kind: str
    name: str
    raw: dict[str, Any]

    @property
    def key(self) -> tuple[str, str, str]:
        return self.kind, "a", self.name


def shown(name: str, read_from: object = None) -> Shown:
    return Shown("Pod", name, {"metadata": {"annotations": {READ_FROM: read_from} if read_from else {}}})


def test_whole_objects_stay_and_parts_give_way() -> None:
    whole, again, described, counted = shown("p"), shown("p"), shown("p", SHOWN), shown("p", COUNTED)
    assert fullest([counted, described, whole, again]) == [whole, again]
    assert fullest([counted, described]) == [described]
    older, newer = shown("q", SHOWN), shown("q", SHOWN)
    assert fullest([older, newer])[0] is newer
    assert len(fullest([shown("r", COUNTED), shown("s", COUNTED)])) == 2


def test_an_annotation_of_another_value_says_nothing() -> None:
    odd = [shown("p", "elsewhere"), shown("p", ["x"])]
    assert fullest(odd) == odd
