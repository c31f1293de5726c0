"""What is particular to a plugin is looked up (profiles/obstacle_kinds.py, profiles/names.py), so that its name stands
in few places: its own module, the registry, lists of plugins as configurations have them, the field guide, and the
table of texts that kube-scheduler says."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from scheduler_core.explain.messages.table import TEXTS
from scheduler_core.manifests.configuration import plugin_args
from scheduler_core.profiles.defaults import default_plugins
from scheduler_core.profiles.registry import IN_TREE, LEGACY, PACKAGES
from scheduler_core.versions.behaviours import Behaviours

ROOT = Path(__file__).parents[2]
PLUGINS = {plugin.name: plugin.__module__ for plugin in (*IN_TREE, *LEGACY)}
# A file without any of them need not be parsed.
ANY_NAME = re.compile("|".join(sorted({*PLUGINS, *PACKAGES})))
TREES = ("scheduler_core", "dashboard", "examples")
LISTS = (
    "scheduler_core/api/config.py",
    "scheduler_core/manifests/configuration/",
    "scheduler_core/manifests/field_guide/",
    "scheduler_core/manifests/forms/",
    "scheduler_core/profiles/build.py",
    "scheduler_core/profiles/defaults.py",
    "scheduler_core/profiles/presets.py",
    "scheduler_core/profiles/registry.py",
    "examples/",
)
"""Configurations as they are written, the registry, what editors offer; an example names itself."""
VERSIONS = "scheduler_core/versions/"
TABLE_OF_TEXTS = f"{VERSIONS}texts.toml"
NOT_IN_THE_ENGINE = {"GangScheduling"}
"""Plugins of kube-scheduler that the engine does not have, and whose texts are known."""


@cache
def spelled():
    """Return {file: names of plugins that it spells} of the trees, a plugin's own room left out."""
    places = {}
    for path in (path for tree in TREES for path in sorted((ROOT / tree).rglob("*.py"))):
        file = path.relative_to(ROOT).as_posix()
        text = path.read_text()
        if not ANY_NAME.search(text):
            continue
        texts = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}
        names = {name for name in texts & {*PLUGINS, *PACKAGES} if not is_own(file, name)}
        if names and not file.startswith(LISTS):
            places[file] = names
    return places


def is_own(file, plugin):
    """Return whether the file is the plugin's module or one beside it in its room."""
    module = PLUGINS.get(plugin, "").replace(".", "/")
    room = module.rpartition("/")[0]
    return file == f"{module}.py" or (room != "scheduler_core/plugins" and file.startswith(f"{room}/") and bool(room))


@pytest.mark.slow
def test_no_other_file_spells_the_name_of_a_plugin():
    assert spelled() == {}


def test_the_table_of_texts_names_plugins_as_the_registry_does():
    assert {row.plugin for row in TEXTS.rows} - {"", *PLUGINS, *PACKAGES} == NOT_IN_THE_ENGINE
    assert not NOT_IN_THE_ENGINE & {*PLUGINS, *PACKAGES}


def test_no_other_file_of_data_spells_the_name_of_a_plugin():
    files = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "scheduler_core").rglob("*.toml")}
    assert TABLE_OF_TEXTS in files
    names = {file: set(re.findall(r"\w+", path.read_text())) & {*PLUGINS, *PACKAGES} for file, path in files.items()}
    spelling = {file for file, spelled_there in names.items() if spelled_there}
    assert {file for file in spelling if not file.startswith(VERSIONS)} == set()
    assert TABLE_OF_TEXTS in spelling


def test_the_lists_below_the_registry_are_its_lists():
    defaults, legacy = [plugin.name for plugin in IN_TREE], [plugin.name for plugin in LEGACY]
    args = "scheduler_core/manifests/configuration/plugin_args.py"
    everything = Behaviours(**dict.fromkeys(Behaviours.__struct_fields__, True))
    assert [ref.name for ref in default_plugins(everything)] == defaults, (
        "scheduler_core/profiles/defaults.py has the names of IN_TREE, in its order"
    )
    assert list(plugin_args.DEFAULT_PLUGINS) == defaults, (
        f"DEFAULT_PLUGINS of {args} has those of IN_TREE, in its order"
    )
    assert list(plugin_args.LEGACY_PLUGINS) == legacy, f"LEGACY_PLUGINS of {args} has those of LEGACY, in its order"
    assert sorted(plugin_args.KNOWN_PLUGINS) == sorted([*defaults, *legacy, *PACKAGES])
    assert sorted(plugin_args._CHECKS) == sorted(plugin_args.KNOWN_PLUGINS), (
        f"each of KNOWN_PLUGINS has a row in _CHECKS of {args}, or is listed in _WITHOUT_ARGS there"
    )
