"""The table of a configuration as its page shows it: one profile, a row for each plugin, a cell for each point."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property

from dashboard.documents.configurations.checking import POINTS, implements, registry
from dashboard.documents.configurations.table.arguments import ArgumentField, argument_fields
from dashboard.documents.configurations.table.differences import (
    ProfileDifference,
    counterpart,
    differences,
    settings_differences,
)
from dashboard.documents.configurations.table.effective import SCORE, SETTINGS, Effective, EffectiveProfile, effective
from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.profiles.defaults import DEFAULT_MULTI_POINT

SETTING_HINTS = {
    "percentageOfNodesToScore": "Of nodes that pass Filter, how many are scored. 0 or empty: by the number of nodes.",
    "podInitialBackoffSeconds": "The first wait of a pod after a failed attempt; it doubles with each.",
    "podMaxBackoffSeconds": "The longest such wait.",
    "parallelism": "Read and checked; a simulation decides alike with any.",
}


@cache
def defaults() -> Effective:
    """Return what kube-scheduler does without a configuration."""
    return effective(SchedulerConfiguration())


@dataclass(frozen=True)
class PluginCell:
    """A plugin at a point: `place` counts from 1 in the order of calls, 0 where it is off; `edit` turns it around."""

    plugin: str
    point: str
    place: int
    weight: int | None
    differs: bool
    edit: str

    @property
    def label(self) -> str:
        """Return the cell's label for screen readers."""
        return f"{self.plugin} at {self.point}"

    @property
    def is_on(self) -> bool:
        """Return whether the plugin is called there."""
        return self.place > 0


@dataclass(frozen=True)
class PluginRow:
    """A plugin with a cell or None for each point; `n_differences` counts its cells, weight and arguments."""

    name: str
    cells: list[PluginCell | None]
    n_differences: int
    takes_arguments: bool
    is_selected: bool

    @property
    def is_used(self) -> bool:
        """Return whether the profile calls the plugin anywhere."""
        return any(cell is not None and cell.is_on for cell in self.cells)


@dataclass(frozen=True)
class Called:
    """A plugin at the selected point, with the edits that bring it one place forward and back."""

    name: str
    earlier: str
    later: str


@dataclass(frozen=True)
class SettingField:
    """A setting of all profiles: its value, None where the default holds."""

    name: str
    value: int | None
    default: int | None
    hint: str


@dataclass(frozen=True)
class TableSelection:
    """What of the table is selected: a profile by its place, -1 for the settings; a plugin or a point, or neither."""

    profile: int = 0
    plugin: str = ""
    point: str = ""


class ConfigTable:
    """A configuration `now`, compared with `base`, which is called `against`."""

    def __init__(self, now: Effective, base: Effective, against: str, selection: TableSelection):
        self.now = now
        self.base = base
        self.against = against
        number = selection.profile if selection.profile < len(now.profiles) else 0
        self.shows_settings = number < 0
        self.number = max(number, 0)
        self.selection = selection
        self.points = POINTS

    @property
    def profile(self) -> EffectiveProfile:
        """Return the profile that is shown."""
        return self.now.profiles[self.number]

    @cached_property
    def tabs(self) -> list[tuple[int, str, int]]:
        """Return (place, name, number of differences) of the profiles."""
        return [
            (i, profile.name, len(differences(profile, counterpart(profile, self.base))))
            for i, profile in enumerate(self.now.profiles)
        ]

    @cached_property
    def differences(self) -> list[ProfileDifference]:
        """Return what differs in the profile, and in the settings of all."""
        own = differences(self.profile, counterpart(self.profile, self.base))
        return own + settings_differences(self.now, self.base)

    @cached_property
    def n_settings_differ(self) -> int:
        """Return how many settings of all profiles differ."""
        return len(settings_differences(self.now, self.base))

    @cached_property
    def plugin(self) -> str:
        """Return the plugin whose arguments are shown, "" where a point or nothing is selected."""
        name = self.selection.plugin
        return name if name in registry().factories and not self.point else ""

    @cached_property
    def point(self) -> str:
        """Return the point whose order is shown."""
        return self.selection.point if self.selection.point in POINTS else ""

    @cached_property
    def order(self) -> list[Called]:
        """Return the plugins of the selected point in the order of calls."""
        return [
            Called(name, *(self._move(name, by) for by in (-1, 1))) for name in self.profile.points.get(self.point, ())
        ]

    def _move(self, plugin: str, by: int) -> str:
        return json.dumps({"do": "move", "profile": self.number, "point": self.point, "plugin": plugin, "by": by})

    @cached_property
    def arguments(self) -> list[ArgumentField]:
        """Return the fields of the selected plugin's form."""
        return argument_fields(self.plugin, self.profile.arguments.get(self.plugin, {}))

    @cached_property
    def settings(self) -> list[SettingField]:
        """Return the fields of the settings of all profiles."""
        return [
            SettingField(name, self.now.settings[name], defaults().settings[name], SETTING_HINTS[name])
            for name in SETTINGS
        ]

    @property
    def is_against_defaults(self) -> bool:
        """Return whether it is compared with what kube-scheduler does without a configuration."""
        return self.base is defaults()

    @property
    def has_arguments(self) -> bool:
        """Return whether the text gives arguments for the selected plugin."""
        return self.plugin in self.profile.arguments

    @property
    def selected_column(self) -> int:
        """Return the index of the selected point's column, -1 without one."""
        return POINTS.index(self.point) if self.point else -1

    @cached_property
    def rows(self) -> list[PluginRow]:
        """Return the plugins: those of kube-scheduler in its order, others that the profile calls, the rest."""
        usual = [ref.name for ref in DEFAULT_MULTI_POINT]
        called = dict.fromkeys(name for point in POINTS for name in self.profile.points[point])
        names = dict.fromkeys((*usual, *called, *sorted(registry().factories)))
        return [self._row(name) for name in names]

    def _row(self, name: str) -> PluginRow:
        own = [one for one in self.differences if one.plugin == name]
        places = {one.place.removesuffix(", weight") for one in own}
        cells = [self._cell(name, point, point in places) for point in POINTS]
        return PluginRow(name, cells, len(own), bool(argument_fields(name, {})), name == self.plugin)

    def _cell(self, name: str, point: str, differs: bool) -> PluginCell | None:
        if not implements(name, point):
            return None
        called = self.profile.points[point]
        place = called.index(name) + 1 if name in called else 0
        edit = {"do": "switch", "profile": self.number, "plugin": name, "point": point, "on": not place}
        weight = self.profile.weights.get(name) if point == SCORE else None
        return PluginCell(name, point, place, weight, differs, json.dumps(edit))
