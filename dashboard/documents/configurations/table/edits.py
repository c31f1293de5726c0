"""The edits that the table of a configuration offers, and what each may change.

An edit is decoded from JSON, a mapping with `do` naming its kind. Each says by `holds` whether a configuration after
it is the one before with this edit and nothing else; a text that does not hold is never given back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from dashboard.common.problems import BadQuery, Problem
from dashboard.documents.configurations.table.effective import (
    QUEUE_SORT,
    SCORE,
    Effective,
    EffectiveProfile,
)
from dashboard.documents.configurations.table.values import with_value
from scheduler_core.api.config import EXTENSION_POINTS
from scheduler_core.manifests import Limits
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.sources import read_documents

MOST_WEIGHT = 1_000_000
ProfileNumber = Annotated[int, msgspec.Meta(ge=0, le=1000)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=253)]


class _ProfileEdit(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", forbid_unknown_fields=True):
    """An edit of one profile, given by its place in the list."""

    profile: ProfileNumber = 0

    def impossible(self, before: Effective) -> str:
        """Return why no configuration has this edit, "" where one may."""
        return ""

    @property
    def field(self) -> str:
        """Return the field of the YAML that the edit is about."""
        return f"profiles[{self.profile}]"

    def holds(self, before: Effective, after: Effective) -> bool:
        """Return whether `after` is `before` with this edit."""
        if after.settings != before.settings or len(after.profiles) != len(before.profiles):
            return False
        pairs = zip(before.profiles, after.profiles, strict=True)
        return all(self.holds_in(old, new) if i == self.profile else old == new for i, (old, new) in enumerate(pairs))

    def holds_in(self, before: EffectiveProfile, after: EffectiveProfile) -> bool:
        """Return whether the profile `after` is `before` with this edit."""
        raise NotImplementedError


class SwitchPlugin(_ProfileEdit, frozen=True, kw_only=True, tag="switch"):
    """A plugin on or off at an extension point; at queueSort the one that is switched on replaces the other, in all
    profiles, since they share one queue."""

    plugin: Name
    point: Name
    on: bool

    def impossible(self, before: Effective) -> str:
        """Return why it cannot be switched off: the queue needs one plugin that sorts it."""
        if self.on or self.point != QUEUE_SORT:
            return ""
        return f"the queue is sorted by exactly one plugin. Switch on another one, which replaces {self.plugin}"

    @property
    def field(self) -> str:
        """Return the lists of the extension point."""
        return f"profiles[{self.profile}].plugins.{self.point}"

    def holds(self, before: Effective, after: Effective) -> bool:
        """Return whether only this plugin at this point differs; the others keep their order."""
        if self.point != QUEUE_SORT:
            return super().holds(before, after)
        points = {QUEUE_SORT: (self.plugin,)}
        profiles = (
            msgspec.structs.replace(profile, points={**profile.points, **points}) for profile in before.profiles
        )
        return self.on and after == msgspec.structs.replace(before, profiles=tuple(profiles))

    def holds_in(self, before: EffectiveProfile, after: EffectiveProfile) -> bool:
        """Return whether only this plugin at this point differs."""
        others = tuple(name for name in before.points[self.point] if name != self.plugin)
        now = after.points[self.point]
        if (self.plugin in now) != self.on or tuple(name for name in now if name != self.plugin) != others:
            return False
        weights = dict(after.weights)
        if self.point == SCORE and self.plugin in (before.weights.keys() ^ after.weights.keys()):
            weights = {name: weight for name, weight in weights.items() if name != self.plugin}
            weights |= {name: weight for name, weight in before.weights.items() if name == self.plugin}
        points = {**after.points, self.point: before.points[self.point]}
        return msgspec.structs.replace(after, points=points, weights=weights) == before


class Weigh(_ProfileEdit, frozen=True, kw_only=True, tag="weigh"):
    """Another weight of a score plugin, which is switched on at score by it."""

    plugin: Name
    weight: Annotated[int, msgspec.Meta(ge=1, le=MOST_WEIGHT)]

    @property
    def field(self) -> str:
        """Return the lists of Score."""
        return f"profiles[{self.profile}].plugins.{SCORE}"

    def holds_in(self, before: EffectiveProfile, after: EffectiveProfile) -> bool:
        """Return whether only the weight differs, and the plugin's place where it did not score."""
        if after.weights.get(self.plugin) != self.weight:
            return False
        if self.plugin not in before.weights:
            return SwitchPlugin(profile=self.profile, plugin=self.plugin, point=SCORE, on=True).holds_in(before, after)
        return after == msgspec.structs.replace(before, weights={**before.weights, self.plugin: self.weight})


class MoveCall(_ProfileEdit, frozen=True, kw_only=True, tag="move"):
    """A plugin is called one place earlier (by -1) or later (1) at a point."""

    plugin: Name
    point: Name
    by: Literal[-1, 1]

    @property
    def field(self) -> str:
        """Return the lists of the extension point."""
        return f"profiles[{self.profile}].plugins.{self.point}"

    def order(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the plugins of a point with this one moved; at the ends, as they are."""
        if self.plugin not in names:
            return names
        rest = [name for name in names if name != self.plugin]
        at = min(max(names.index(self.plugin) + self.by, 0), len(rest))
        return (*rest[:at], self.plugin, *rest[at:])

    def holds_in(self, before: EffectiveProfile, after: EffectiveProfile) -> bool:
        """Return whether only the order at the point differs."""
        points = {**before.points, self.point: self.order(before.points[self.point])}
        return after == msgspec.structs.replace(before, points=points)


class SetArgument(_ProfileEdit, frozen=True, kw_only=True, tag="argument"):
    """A value at a path (`scoringStrategy.type`) of a plugin's arguments; None goes back to the default.

    `also` are values of other paths that the plugin asks for together with it.
    """

    plugin: Name
    path: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    value: Any = None
    also: Mapping[str, Any] = msgspec.field(default_factory=dict)

    def given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return a plugin's arguments with this edit."""
        values = {**self.also, self.path: self.value}
        out = dict(arguments)
        for path, value in values.items():
            out = with_value(out, path.split("."), value)
        return out

    def holds_in(self, before: EffectiveProfile, after: EffectiveProfile) -> bool:
        """Return whether only these arguments differ."""
        arguments = dict(before.arguments)
        given = self.given(arguments.pop(self.plugin, {}))
        if given:
            arguments[self.plugin] = given
        return after == msgspec.structs.replace(before, arguments=arguments)


class ArgumentText(_ProfileEdit, frozen=True, kw_only=True, tag="argument-text"):
    """The same from a field of YAML; an empty one goes back to the default."""

    plugin: Name
    path: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    text: Annotated[str, msgspec.Meta(max_length=20_000)]

    def parsed(self) -> SetArgument:
        """Return the edit with the text's value; raises Problem."""
        limits = Limits(max_bytes=100_000, max_yaml_nodes=5_000, max_json_values=5_000)
        try:
            values = [one.value for one in read_documents(self.text, limits) if one.value is not None]
        except LoadError as problem:
            raise Problem(f"{self.path}: {problem.message}") from None
        if len(values) > 1:
            raise Problem(f"{self.path}: write one document, without ---.")
        return SetArgument(
            profile=self.profile, plugin=self.plugin, path=self.path, value=values[0] if values else None
        )


class Defaults(_ProfileEdit, frozen=True, kw_only=True, tag="defaults"):
    """All arguments of a plugin set back to their defaults."""

    plugin: Name

    def holds_in(self, before: EffectiveProfile, after: EffectiveProfile) -> bool:
        """Return whether only these arguments are gone."""
        arguments = {name: given for name, given in before.arguments.items() if name != self.plugin}
        return after == msgspec.structs.replace(before, arguments=arguments)


class Percentage(_ProfileEdit, frozen=True, kw_only=True, tag="percentage"):
    """The share of nodes that a profile scores; None takes that of all profiles."""

    value: Annotated[int, msgspec.Meta(ge=0, le=100)] | None = None

    def holds_in(self, before: EffectiveProfile, after: EffectiveProfile) -> bool:
        """Return whether only the share differs."""
        return after == msgspec.structs.replace(before, percentage=self.value)


class Rename(_ProfileEdit, frozen=True, kw_only=True, tag="rename"):
    """Another name of a profile: pods ask for it by `spec.schedulerName`."""

    name: Name

    def holds_in(self, before: EffectiveProfile, after: EffectiveProfile) -> bool:
        """Return whether only the name differs."""
        return after == msgspec.structs.replace(before, name=self.name)


class AddProfile(_ProfileEdit, frozen=True, kw_only=True, tag="add-profile"):
    """One more profile at the end: a copy of `profile` under another name."""

    name: Name

    def holds(self, before: Effective, after: Effective) -> bool:
        """Return whether the other profiles are as they were, and the new one is the copy."""
        copied = msgspec.structs.replace(before.profiles[self.profile], name=self.name)
        return after == msgspec.structs.replace(before, profiles=(*before.profiles, copied))


class RemoveProfile(_ProfileEdit, frozen=True, kw_only=True, tag="remove-profile"):
    """A profile less; the last one cannot be removed."""

    def impossible(self, before: Effective) -> str:
        """Return why the only profile stays."""
        return "" if len(before.profiles) > 1 else "a configuration has at least one profile. Add another one first"

    def holds(self, before: Effective, after: Effective) -> bool:
        """Return whether the other profiles are as they were."""
        others = (*before.profiles[: self.profile], *before.profiles[self.profile + 1 :])
        return bool(others) and after == msgspec.structs.replace(before, profiles=others)


class SetSetting(_ProfileEdit, frozen=True, kw_only=True, tag="setting"):
    """A setting of all profiles; None goes back to the default."""

    name: Literal["percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds", "parallelism"]
    value: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)] | None = None

    def holds(self, before: Effective, after: Effective) -> bool:
        """Return whether only this setting differs."""
        is_set = self.value is None or after.settings[self.name] == self.value
        return is_set and after == msgspec.structs.replace(
            before, settings={**before.settings, self.name: after.settings[self.name]}
        )


TableEdit = (
    SwitchPlugin | Weigh | MoveCall
    | SetArgument | Defaults | Percentage | Rename
    | AddProfile | RemoveProfile | SetSetting
)  # fmt: skip
"""What `decoded` gives but for ArgumentText, which is a SetArgument by then."""
_decoder = msgspec.json.Decoder(ArgumentText | TableEdit)


def decoded(text: str) -> TableEdit:
    """Return the edit in a form field; raises BadQuery."""
    try:
        edit = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as problem:
        raise BadQuery(f"This edit of the table cannot be read: {problem}") from None
    if getattr(edit, "point", QUEUE_SORT) not in EXTENSION_POINTS:
        raise BadQuery("This edit of the table names no extension point.")
    return edit.parsed() if isinstance(edit, ArgumentText) else edit
