"""The one list of plugins."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from scheduler_core.__main__ import main
from scheduler_core.plugins.node_name import NodeName
from scheduler_core.profiles.defaults import DEFAULT_MULTI_POINT
from scheduler_core.profiles.registry import IN_TREE, LEGACY, in_tree, installed, plugin_packages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ALL = (*IN_TREE, *LEGACY)


def test_the_registry_has_the_default_plugins_in_their_order() -> None:
    assert [plugin.name for plugin in IN_TREE][: len(DEFAULT_MULTI_POINT)] == [ref.name for ref in DEFAULT_MULTI_POINT]
    assert set(in_tree().factories) == {plugin.name for plugin in ALL}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make an installed package of one module that offers plugins under names."""

    def package(code: str, **plugins: str) -> None:
        metadata = tmp_path / "odd-0.1.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 0.1\n")
        lines = "".join(f"{name} = odd_plugins:{what}\n" for name, what in plugins.items())
        (metadata / "entry_points.txt").write_text(f"[schedscope.plugins]\n{lines}")
        (tmp_path / "odd_plugins.py").write_text(code)
        monkeypatch.syspath_prepend(str(tmp_path))

    monkeypatch.delitem(sys.modules, "odd_plugins", raising=False)
    return package


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import nowhere_to_be_had", "ModuleNotFoundError: No module named 'nowhere_to_be_had'"),
        ("Odd = = 1", "SyntaxError: invalid syntax"),
        ("raise RuntimeError('a\\n' + 'b' * 5000)", "RuntimeError: a\\nbbbb"),
        ("class Other: pass", "AttributeError: module 'odd_plugins' has no attribute 'Odd'"),
        ("Odd = 3", "odd_plugins:Odd is no class or function"),
    ],
)
def test_a_package_that_cannot_be_loaded_leaves_the_others_at_work(package, code: str, why: str) -> None:
    package(code, Odd="Odd")
    registry = installed()
    assert set(in_tree().factories) <= set(registry.factories)
    assert "Odd" not in registry.names
    assert registry.unusable["Odd"].startswith(why)
    assert len(registry.unusable["Odd"]) < 300


def test_a_package_cannot_take_the_name_of_a_plugin_that_is_there(package) -> None:
    package("class Odd: pass", NodeName="Odd", Odd="Odd")
    registry = installed()
    assert registry.factories["NodeName"] is NodeName
    assert {"NodeName", "Odd"} <= registry.names
    assert "there already" in registry.unusable["NodeName"]


def test_a_package_with_plugins_is_named_with_its_version(package) -> None:
    before = plugin_packages()
    package("class Odd: pass", Odd="Odd", Other="Odd")
    assert set(plugin_packages()) - set(before) == {("odd", "0.1")}


def test_a_configuration_that_names_a_broken_plugin_is_told_why(package, tmp_path, capsys) -> None:
    package("import nowhere_to_be_had", Odd="Odd")
    config = tmp_path / "config.yaml"
    config.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles: [{plugins: {filter: {enabled: [{name: Odd}]}}}]\n"
    )
    assert main(["validate", "--as", "config", str(config)]) == 1
    out, err = capsys.readouterr()
    assert '"Odd" is installed' in out
    assert "ModuleNotFoundError" in out
    assert f"{config} without Odd" in err
