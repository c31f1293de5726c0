"""Scripts joined into chunks: each module once, in the order of imports, and nothing started that nobody asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dashboard.common.assets.modules import (
    LEAST_SHARED,
    UnknownForm,
    chunk_text,
    function_of,
    is_module,
    plan_chunks,
    read_module,
)

STATIC = Path(__file__).parents[4] / "static"
FRAME = "common/app.js"
LONG = f"/* {'x' * LEAST_SHARED} */\n"


def modules_of(**texts):
    """Return modules by name: `a_b` stands for a/b.js."""
    return {
        name.replace("_", "/") + ".js": read_module(name.replace("_", "/") + ".js", text)
        for name, text in texts.items()
    }


def test_a_module_is_read_as_the_formatter_leaves_it():
    text = """/* What it does. */
import { a, b as c } from './near.js';
import {
  one,
  two,
} from '../other/far.js';
import './effect.js';

export const x = a;
export async function* y() {}
export class Z {}
const own = `import { no } from '${x}'`;
"""
    read = read_module("room/here.js", text)
    assert read.imports == {"room/near.js": "a, b: c", "other/far.js": "one, two", "room/effect.js": ""}
    assert read.exports == ("x", "y", "Z")
    assert "export" not in read.body
    assert "async function* y() {}" in read.body


@pytest.mark.parametrize(
    "line",
    [
        "export default 1;",
        "export let x = 1;",
        "import x from './x.js';",
        "import * as x from './x.js';",
        "export { x };",
        "export const { a } = b;",
        "const x = await import('./x.js');",
        "const here = import.meta.url;",
        "await ready();",
    ],
)
def test_other_forms_are_refused_with_file_and_line(line):
    with pytest.raises(UnknownForm, match=r"^room/x\.js:2: "):
        read_module("room/x.js", f"/* What it does. */\n{line}\n")


def test_what_entries_share_is_in_one_chunk_of_the_folder_or_comes_with_the_frame():
    modules = modules_of(
        common_app="import { a } from './a.js';",
        common_a="export const a = 1;",
        common_b="export const b = 2;",
        room_big=f"{LONG}export const big = 3;",
        room_one="import { a } from '../common/a.js'; import { b } from '../common/b.js';".replace("; ", ";\n")
        + "\nimport { big } from './big.js';\n",
        room_two="import { big } from './big.js';\nimport { small } from './small.js';\n",
        room_small="export const small = 4;",
        other_three="import { b } from '../common/b.js';\n",
    )
    entries = ["common/app.js", "other/three.js", "room/one.js", "room/two.js"]
    plan = plan_chunks(modules, entries, FRAME)
    assert {chunk.name: (chunk.modules, chunk.starts) for chunk in plan} == {
        FRAME: (["common/a.js", "common/app.js", "common/b.js"], FRAME),
        "room/shared.js": (["room/big.js"], ""),
        "other/three.js": (["other/three.js"], "other/three.js"),
        "room/one.js": (["room/one.js"], "room/one.js"),
        "room/two.js": (["room/small.js", "room/two.js"], "room/two.js"),
    }
    assert [chunk.name for chunk in plan][:2] == [FRAME, "room/shared.js"]


def test_a_small_chunk_of_a_folder_comes_with_the_frame():
    modules = modules_of(
        common_app="export const x = 1;",
        room_one="import { y } from './y.js';\n",
        room_two="import { y } from './y.js';\n",
        room_y="export const y = 1;",
    )
    names = [chunk.name for chunk in plan_chunks(modules, ["common/app.js", "room/one.js", "room/two.js"], FRAME)]
    assert names == [FRAME, "room/one.js", "room/two.js"]


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        ({"common_app": "import { a } from './a.js';\n"}, "common/app.js imports common/a.js"),
        (
            {"common_app": "import { a } from './a.js';\n", "common_a": "import { x } from './app.js';\n"},
            "common/app.js imports common/a.js imports common/app.js",
        ),
    ],
)
def test_an_import_of_nothing_and_a_circle_are_named(texts, named):
    with pytest.raises(UnknownForm, match=re.escape(named)):
        plan_chunks(modules_of(**texts), [FRAME], FRAME)


def test_the_text_of_a_chunk_takes_the_exports_of_others_and_starts_its_entry():
    modules = modules_of(
        common_a="export const a = 1;",
        room_one="import { a as first } from '../common/a.js';\nexport const b = first;",
        common_app="import { a } from './a.js';\n",
    )
    plan = plan_chunks(modules, [FRAME, "room/one.js"], FRAME)
    chunk_of = {name: chunk.name for chunk in plan for name in chunk.modules}
    assert chunk_text(plan[1], modules, chunk_of, lambda name: f"../{name}?1") == (
        "import { common$a } from '../common/app.js?1';\n"
        "const once = (make, made) => () => (made ??= make());\n"
        "/* room/one.js */\n"
        "const room$one = once(() => {\n"
        "const { a: first } = common$a();\n"
        "const b = first;\n"
        "return { b };\n"
        "});\n"
        "export { room$one };\n"
        "room$one();\n"
    )


def test_all_scripts_of_the_pages_can_be_joined_and_none_is_lost():
    texts = {path.relative_to(STATIC).as_posix(): path.read_text() for path in STATIC.rglob("*.js")}
    modules = {
        name: read_module(name, text)
        for name, text in texts.items()
        if not name.startswith("vendor/") and is_module(text)
    }
    imported = {other for one in modules.values() for other in one.imports}
    entries = [name for name in modules if name not in imported or name == FRAME]
    chunks = plan_chunks(modules, entries, FRAME)
    joined = [name for chunk in chunks for name in chunk.modules]
    assert len({function_of(name) for name in joined}) == len(joined), "no two modules have one name"
    assert sorted(joined) == sorted(modules)
    assert {chunk.starts for chunk in chunks} - {""} == set(entries)
