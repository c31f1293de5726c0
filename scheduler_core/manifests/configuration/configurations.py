"""KubeSchedulerConfiguration v1 from YAML or JSON, validated as the reference's validation.go does, with positions."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from scheduler_core.api.config import Extender, Profile, SchedulerConfiguration
from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.manifests.configuration.extenders import check_extenders, read_extender
from scheduler_core.manifests.configuration.holders import KIND, LIMITS, HeldText, held_configurations, refusal
from scheduler_core.manifests.configuration.left_out import NOTHING, LeaveOut, LeftOut, PluginNames
from scheduler_core.manifests.configuration.older_versions import GROUP, OLDER, losses, of_component, to_v1
from scheduler_core.manifests.configuration.plugin_args import KNOWN_PLUGINS, V1
from scheduler_core.manifests.configuration.profiles import (
    PROFILE_FIELDS,
    check_fields,
    read_percentage,
    read_profiles,
)
from scheduler_core.manifests.model import (
    Finding,
    Limits,
    LoadError,
    ManifestSource,
    quoted,
    shortened,
)
from scheduler_core.manifests.parsing.line_positions import ObjectPosition, Positions
from scheduler_core.manifests.parsing.sources import read_text
from scheduler_core.manifests.text_findings import finding_of_error, findings_of_sink, read_text_documents
from scheduler_core.manifests.yaml_writer import dump_yaml

_FIELDS = (
    "apiVersion", "kind", "parallelism", "leaderElection", "clientConnection", "enableProfiling",
    "enableContentionProfiling", "percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds",
    "profiles", "extenders", "delayCacheUntilActive",
)  # fmt: skip
_LITERAL = re.compile(r":\s*\|[-+]?\s*(?:#.*)?$")
"""The line before a text that keeps its lines in YAML."""
MAX_EXTENDERS = 1_000


class ConfigurationReading(msgspec.Struct, frozen=True):
    """What reading a configuration gave: the configuration, None where it has an error, findings, what was left out."""

    configuration: SchedulerConfiguration | None
    findings: list[Finding]
    left_out: tuple[LeftOut, ...] = ()


def load_config(
    source: ManifestSource, known_plugins: Collection[str] = KNOWN_PLUGINS
) -> tuple[SchedulerConfiguration | None, list[Finding]]:
    """The configuration in a file, None where it has an error, and the findings. Never raises on bad input."""
    reading = read_config(source, known_plugins)
    return reading.configuration, reading.findings


def read_config(
    source: ManifestSource,
    known_plugins: Collection[str] = KNOWN_PLUGINS,
    leave_out: LeaveOut = NOTHING,
    unusable: Mapping[str, str] = MappingProxyType({}),
    *,
    answered: bool = False,
) -> ConfigurationReading:
    """As ``load_config``, without the plugins and extenders that ``leave_out`` names, each of them a warning.

    ``unusable`` says of plugins that are installed why they cannot be used. ``answered``: there is something that
    answers for the extenders; without, each that is not left out is an error.
    """
    try:
        documents, positions = read_text_documents(source, LIMITS)
    except LoadError as problem:
        return ConfigurationReading(None, [finding_of_error(problem, source.name, KIND)])
    held = held_configurations(documents)
    if len(held) == 1:
        inner = ManifestSource(source.name, held[0].text.encode("utf-8", "replace"))
        reading = read_config(inner, known_plugins, leave_out, unusable, answered=answered)
        return _placed(reading, held[0], source, positions)
    sink, names = Sink(), PluginNames(known_plugins, leave_out, unusable)
    config, suggestion = None, ""
    number = 0
    if not documents:
        sink_at(None, sink).error(f"there is no configuration in the file. Write apiVersion: {V1} and kind: {KIND}")
    elif text_of_refusal := refusal(documents, held):
        number = documents[0][0]
        sink_at(None, sink).error(text_of_refusal)
    elif len(documents) > 1:
        number = documents[1][0]
        text_of_error = f"the second of {len(documents)} documents begins here. One file holds one configuration: "
        sink_at(None, sink).error(text_of_error + "remove the others")
    else:
        number = documents[0][0]
        config, suggestion = _config(documents[0][1], sink, names, answered=answered)
    findings = _findings(sink, source.name, suggestion, positions, number)
    return ConfigurationReading(config, findings, names.left_out())


def _placed(
    reading: ConfigurationReading, held: HeldText, source: ManifestSource, positions: Positions
) -> ConfigurationReading:
    """What reading a text in another object gave, with the lines of the file and the name of the object."""
    line = positions.line(ObjectPosition(0, held.document, (), None), held.path)
    rows = read_text(source, LIMITS).split("\n")
    is_literal = line is not None and _LITERAL.search(rows[line - 1]) is not None
    findings = [
        msgspec.structs.replace(
            one,
            object=f"{KIND} in {held.holder}",
            line=line + one.line if is_literal and line is not None and one.line else line,
        )
        for one in reading.findings
    ]
    return ConfigurationReading(reading.configuration, findings, reading.left_out)


def config_from_raw(
    raw: Any,
    known_plugins: Collection[str] = KNOWN_PLUGINS,
    source: str = "configuration",
    leave_out: LeaveOut = NOTHING,
    *,
    answered: bool = False,
) -> tuple[SchedulerConfiguration | None, list[Finding]]:
    """A configuration that is parsed already, read as ``load_config`` does; findings have no line. ``answered`` is as
    for ``read_config``."""
    sink = Sink()
    config, suggestion = _config(raw, sink, PluginNames(known_plugins, leave_out), answered=answered)
    return config, _findings(sink, source, suggestion, Positions(None, Limits()), 0)


def sink_at(raw: Any, sink: Sink) -> At:
    """The raw value at the root of a document."""
    return At(raw, (), sink)


def _findings(sink: Sink, source: str, suggestion: str, positions: Positions, document: int) -> list[Finding]:
    """The findings; those about the type of the text carry a ready text of today's version."""
    return [
        msgspec.structs.replace(one, suggestion=suggestion) if one.field in ("apiVersion", "kind") else one
        for one in findings_of_sink(sink, source, KIND, positions, document)
    ]


def _config(raw: Any, sink: Sink, names: PluginNames, *, answered: bool) -> tuple[SchedulerConfiguration | None, str]:
    """The configuration, None at an error, and a ready v1 text where an older version was given."""
    at = sink_at(raw, sink)
    if not isinstance(raw, dict):
        at.error(f"{quoted(raw)} is no configuration. Write apiVersion: {V1} and kind: {KIND}")
        return None, ""
    suggestion = _check_type(at)
    if sink.failed:
        return None, suggestion
    try:
        config = _read(at, names, answered=answered)
    except RecursionError:
        at.error("is nested too deeply")
        return None, ""
    return (None if sink.failed else config), suggestion


def _check_type(at: At) -> str:
    """Complains of another kind or version; the text in v1 where it can be given."""
    kind, version = at.get("kind"), at.get("apiVersion")
    if kind.raw == "Policy":
        kind.error(f"the Policy API was removed in Kubernetes 1.23. Write kind: {KIND} with apiVersion: {V1}")
    elif {"algorithmprovider", "algorithmProvider", "policyconfigfile", "typemeta"} & set(at.raw):
        kind.error(
            f"this is the component configuration of Kubernetes before 1.19. Write kind: {KIND} with apiVersion: {V1}; "
            "a converted text is given with this error"
        )
        return dump_yaml([of_component(at.raw)])
    elif kind.raw != KIND:
        kind.error(f"{quoted(kind.raw)} is no scheduler configuration. Write kind: {KIND}")
    elif version.raw in OLDER:
        lost = losses(at.raw)
        version.error(
            f"{version.raw} is not served by current Kubernetes. Write {V1}; a converted text is given with this error"
            + (f". It does not keep: {'; '.join(lost)}" if lost else "")
        )
        return dump_yaml([to_v1(at.raw)])
    elif version.raw != V1:
        problem = (
            f"there is no version {shortened(version.raw)}"
            if str(version.raw).startswith(GROUP)
            else "this is no version"
        )
        version.error(f"{problem} of {KIND}. Write {V1}")
    return ""


def _read(at: At, names: PluginNames, *, answered: bool) -> SchedulerConfiguration:
    check_fields(at, _FIELDS, dict.fromkeys(PROFILE_FIELDS, "profiles[0]"))
    extenders = _extenders(at.get("extenders"), names, answered=answered)
    election = at.get("leaderElection")
    lock = election.get("resourceLock")
    if election.get("leaderElect").raw is not False and lock.present and lock.raw != "leases":
        lock.error(f"{quoted(lock.raw)} is not supported. Write leases")
    initial = at.get("podInitialBackoffSeconds").integer(1, 1, 1 << 40)
    longest = at.get("podMaxBackoffSeconds").integer(10, 1, 1 << 40)
    if longest < initial:
        at.get("podMaxBackoffSeconds").error(f"must not be below podInitialBackoffSeconds ({initial})")
    profiles = read_profiles(at.get("profiles"), names, _FIELDS)
    names.warn()
    return SchedulerConfiguration(
        parallelism=at.get("parallelism").integer(16, 1),
        percentage_of_nodes_to_score=read_percentage(at),
        pod_initial_backoff_seconds=initial,
        pod_max_backoff_seconds=longest,
        profiles=profiles or (Profile(),),
        extenders=extenders,
    )


def _extenders(at: At, names: PluginNames, *, answered: bool) -> tuple[Extender, ...]:
    """Note the extenders that are left out; check the others, and refuse them where nothing answers for them."""
    if len(at.items()) > MAX_EXTENDERS:
        at.error(f"there are {len(at.items()):,} extenders. At most {MAX_EXTENDERS:,} are allowed")
        return ()
    others = [item for item in at.items() if not (item.raw.__class__ is dict and names.leaves_out_extender(item))]
    check_extenders(at, others)
    if answered:
        return () if at.sink.failed else tuple(map(read_extender, others))
    for item in others:
        text = "nothing answers for extenders here, and their addresses are never called. Leave it out of the run, or "
        item.error(text + "remove the entry")
    return ()


__all__ = ["KIND", "ConfigurationReading", "config_from_raw", "load_config", "read_config"]
