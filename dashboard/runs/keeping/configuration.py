"""A branch's configuration as a document: that of its origin with the changes made to it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from dashboard.clusters.yaml_text import EDITOR, MAX_TEXT
from dashboard.documents.configurations.checking import check_config, registry
from dashboard.runs.inputs import PROFILE, WEIGHTS, configuration_at, is_answered
from dashboard.runs.models import placed_changes
from scheduler_core.api.config import PluginSet
from scheduler_core.manifests import Limits, ManifestSource, config_from_raw, dump_yaml, to_v1
from scheduler_core.manifests.merging import FieldConflict, carried_over
from scheduler_core.manifests.parsing.sources import read_documents, read_text
from scheduler_core.profiles.stand_ins import without_stand_ins
from scheduler_core.profiles.weights import with_weights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.documents.models import ConfigRevision
    from dashboard.runs.models import Run
    from scheduler_core.api.config import SchedulerConfiguration

    Raw = dict[str, Any]

LEAVES_OUT = (
    "The run goes without plugins or extenders that are not installed, so no configuration says all that it has. Change"
    " the configuration itself."
)
EMPTY: dict[str, Any] = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


@dataclass(frozen=True)
class ChangedConfiguration:
    """The configuration after all changes as text; `problem` says why there is none.

    `base` is the saved revision that the run used, None if it used none; `newest` is the newest revision of the same
    configuration. `conflicts` are the fields that a later revision changed differently.
    """

    text: str
    problem: str = ""
    base: ConfigRevision | None = None
    newest: ConfigRevision | None = None
    merged: str = ""
    conflicts: tuple[FieldConflict, ...] = ()


def changed_configuration(run: Run) -> ChangedConfiguration | None:
    """Return the changed configuration, None if no change concerns it; raises InputError."""
    changes = [change for change in placed_changes(run) if change["action"] == "configure"]
    if not changes:
        return None
    base = run.config_revision
    if run.left_out:
        return ChangedConfiguration("", LEAVES_OUT, base)
    before = _document(base.text if base is not None else run.config_text)
    after = before
    for change in changes:
        if WEIGHTS in change:
            profile = run.stand_ins.get(change[PROFILE], change[PROFILE])
            after = _weighted(after, profile, change[WEIGHTS], answered=is_answered(run))
        else:
            after = dict(change["configuration"])
    text = dump_yaml([after])
    answered = is_answered(run)
    read, _ = check_config(text, answered=answered)
    at_the_end = without_stand_ins(configuration_at(run, run.head.seq + 1), run.stand_ins)
    if read is None or _without_empty_sets(read) != _without_empty_sets(at_the_end):
        return ChangedConfiguration(text, "No document says this configuration as the run has it.", base)
    if base is None:
        return ChangedConfiguration(text)
    newest = base.config.revisions.select_related("config", "author").order_by("-number").first() or base
    merged = carried_over(before, after, _document(newest.text))
    return ChangedConfiguration(text, "", base, newest, dump_yaml([merged.value]), merged.conflicts)


def _without_empty_sets(one: SchedulerConfiguration) -> SchedulerConfiguration:
    """The configuration without empty plugin sets."""
    profiles = (
        msgspec.structs.replace(
            profile, plugins={point: plugins for point, plugins in profile.plugins.items() if plugins != PluginSet()}
        )
        for profile in one.profiles
    )
    return msgspec.structs.replace(one, profiles=tuple(profiles))


def _document(text: str) -> Raw:
    """The document in a text that is known to be valid, converted to v1."""
    limits = Limits(max_bytes=MAX_TEXT)
    documents = read_documents(read_text(ManifestSource(EDITOR, text.encode()), limits), limits)
    raw = next((dict(one.value) for one in documents if isinstance(one.value, dict)), dict(EMPTY))
    return raw if raw.get("apiVersion") == EMPTY["apiVersion"] else to_v1(raw)


def _weighted(raw: Raw, profile: str, weights: Mapping[str, int], *, answered: bool) -> Raw:
    """The document with the given weights in a profile."""
    typed, _ = config_from_raw(raw, registry().names, answered=answered)
    if typed is None:
        return raw
    names = [one.scheduler_name for one in typed.profiles]
    at = names.index(profile)
    plugins = with_weights(typed, profile, weights, registry()).profiles[at].plugins
    made = copy.deepcopy(raw)
    profiles = made.setdefault("profiles", [{"schedulerName": name} for name in names])
    written = profiles[at].setdefault("plugins", {})
    for point in ("score", "multiPoint"):
        if plugins[point] != typed.profiles[at].plugins.get(point):
            written[point] = _plugin_set(plugins[point])
            if not written[point]:
                del written[point]
    return made


def _plugin_set(one: PluginSet) -> Raw:
    enabled = [{"name": ref.name} | ({"weight": ref.weight} if ref.weight else {}) for ref in one.enabled]
    disabled = [{"name": ref.name} for ref in one.disabled]
    return ({"enabled": enabled} if enabled else {}) | ({"disabled": disabled} if disabled else {})
