"""How the selected object is shown beside the map: as a form, as form and YAML in step, or as YAML in an editor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from dashboard.clusters.forms.kinds import forms
from dashboard.common.http.params import choice_param

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOWS = ("both", "form", "yaml")
LABELS = {"form": "Form", "both": "Both", "yaml": "YAML"}


class SideChoice(NamedTuple):
    """One way to show the object, and the address of the page that shows it so."""

    name: str
    label: str
    url: str


@dataclass(frozen=True)
class SideShow:
    """The way in which the object is shown, and all ways that its kind has."""

    show: str
    choices: tuple[SideChoice, ...] = ()

    @property
    def has_form(self) -> bool:
        """Return whether the form is shown."""
        return self.show != "yaml"


def side_of(kind: str, query: Mapping[str, str]) -> SideShow:
    """Return how the address wants an object of this kind to be shown; without a form there is its YAML alone."""
    show = choice_param(query, "show", SHOWS, SHOWS[0])
    if kind not in forms():
        return SideShow("yaml")
    choices = [SideChoice(name, label, f"?{urlencode({**query, 'show': name})}") for name, label in LABELS.items()]
    return SideShow(show, tuple(choices))
