"""The guide of timelines and configurations names what their readers know."""

from __future__ import annotations

import pytest

from scheduler_core.api.config import EXTENSION_POINTS
from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.manifests.configuration import configurations, extenders, plugin_args, profiles
from scheduler_core.manifests.field_guide.documents import ARGUMENTS, CONFIGURATION, DOCUMENTS, PARTS, TIMELINE
from scheduler_core.manifests.field_guide.guide import field_guide
from scheduler_core.simulate import TimelineError, timeline_from_raw
from tests.scheduler_core.manifests.field_guide.test_guide import value_of

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}


def test_entries_of_timelines_have_the_fields_of_the_guide_and_no_other():
    assert set(DOCUMENTS[TIMELINE]) == {"entries"}
    entry = {"at": "1s", "action": "add", "object": NODE}
    assert set(PARTS["TimelineEntry"]) == set(entry)
    for action in PARTS["TimelineEntry"]["action"].choices:
        timeline_from_raw({"entries": [{**entry, "action": action}]})
    for time in PARTS["TimelineEntry"]["at"].ideas:
        timeline_from_raw({"entries": [{**entry, "at": time}]})
    with pytest.raises(TimelineError, match="known are at, action and object"):
        timeline_from_raw({"entries": [{**entry, "more": 1}]})


def test_configurations_have_the_fields_that_are_read():
    assert set(DOCUMENTS[CONFIGURATION]) == set(configurations._FIELDS)
    assert set(PARTS["SchedulerProfile"]) == set(profiles.PROFILE_FIELDS)
    assert set(PARTS["ProfilePlugins"]) == {*EXTENSION_POINTS, "multiPoint"}
    assert set(PARTS["Extender"]) == set(extenders._FIELDS)
    assert set(PARTS["ExtenderTLS"]) == {extenders._TLS_FLAG, *extenders._TLS_TEXTS}


def test_every_plugin_with_arguments_is_in_the_guide():
    assert set(ARGUMENTS) == set(plugin_args._CHECKS) - set(plugin_args._WITHOUT_ARGS)


@pytest.mark.parametrize("plugin", sorted(ARGUMENTS))
def test_arguments_have_the_fields_that_are_read(plugin, monkeypatch):
    asked = []
    monkeypatch.setattr(plugin_args, "known_fields", lambda at, fields: asked.append((at.path, fields)))
    raw = {name: value_of(name, field, ()) for name, field in PARTS[f"{plugin}Args"].items()}
    plugin_args.check_args(plugin, At(raw, (), Sink()))
    assert asked[0] == ((), asked[0][1])
    assert set(asked[0][1]) == set(PARTS[f"{plugin}Args"])
    parts = [set(part) for part in field_guide().parts.values()]
    assert [(path, fields) for path, fields in asked if set(fields) not in parts] == []


def test_names_that_are_offered_are_plugins():
    assert set(PARTS["EnabledPlugin"]["name"].ideas) == set(plugin_args.KNOWN_PLUGINS)
    assert set(PARTS["PluginConfig"]["args"].by_name.values()) <= set(PARTS)
