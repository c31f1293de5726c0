"""What docs/plugins.md shows works, and what it lists is all there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scheduler_core.api.config import EXTENSION_POINTS
from scheduler_core.profiles.args import decode_args
from scheduler_core.testing.check_plugin import check_plugin

PAGE = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text()


@pytest.mark.slow
def test_the_small_plugin_keeps_the_contract():
    code = next(block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "class QuietNodes(" in block)
    names: dict[str, object] = {"__name__": "page"}
    exec(code, names)
    plugin = names["QuietNodes"]
    check_plugin(plugin)
    check_plugin(plugin, decode_args(plugin.Args, {"mostPods": 2}))


def test_every_extension_point_is_in_the_table():
    assert [point for point in EXTENSION_POINTS if not re.search(rf"^\| .*\b{point}\b.* \|", PAGE, re.MULTILINE)] == []
