"""The build of static files: names by content, compressed copies, and nothing done twice."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import brotli
import pytest

from dashboard.common.assets.build import JOINED, build, read_names
from dashboard.common.assets.modules import UnknownForm

ROOT = Path(__file__).parents[4]
SOURCES = {
    "common/app.js": "import { one } from './one.js';\none();\n",
    "common/one.js": "export function one() {}\n",
    "common/bare.js": "import { one } from './one.js';\none();\n",
    "room/page.js": "import { one } from '../common/one.js';\none();\n",
    "common/frame.css": '@import "tokens.css";\n.a { color: red; }\n',
    "common/tokens.css": '@font-face { src: url("../vendor/font.woff2"); }\n',
    "room/page.css": '@import "../common/tokens.css";\n.b { background: url("data:x"); }\n',
    "vendor/font.woff2": "font",
    **{name: f"/* {name} */" for parts in JOINED.values() for name in parts},
}
PAGE = (
    "<script type=module src=\"{% static 'room/page.js' %}\">{% static 'common/app.js' %}{% static 'common/bare.js' %}"
)


@pytest.fixture
def place(tmp_path):
    """Return a folder with sources and a template that names their entries."""
    for name, text in SOURCES.items():
        path = tmp_path / "static" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "page.html").write_text(PAGE)
    return tmp_path


def built(place):
    """Build; return whether something was done and the names."""
    done = build(place / "static", place / "templates", place / "built")
    return done, read_names(place / "built")


def test_each_file_has_a_name_by_its_content_and_stays_under_its_own(place):
    done, names = built(place)
    assert done
    assert set(names) == {*SOURCES, *JOINED} - {"common/one.js"}
    for name, text in SOURCES.items():
        assert (place / "built" / name).read_text() == text
    assert all((place / "built" / name).is_file() for name in names.values())


def test_scripts_import_built_names_and_a_changed_module_renames_what_depends_on_it(place):
    _, before = built(place)
    page = (place / "built" / before["room/page.js"]).read_text()
    assert f"from '../{before['common/app.js']}'" in page
    alone = (place / "built" / before["common/bare.js"]).read_text()
    assert "import {" not in alone
    assert "function one() {}" in alone
    (place / "static/common/one.js").write_text("export function one() { return 2; }\n")
    _, after = built(place)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"common/app.js", "common/bare.js", "room/page.js"}


def test_styles_have_what_they_import_and_the_names_of_what_they_use(place):
    _, names = built(place)
    font = names["vendor/font.woff2"]
    assert (place / "built" / names["common/frame.css"]).read_text() == (
        f'@font-face {{ src: url("../{font}"); }}\n.a {{ color: red; }}\n'
    )
    assert 'url("data:x")' in (place / "built" / names["room/page.css"]).read_text()
    assert f'url("../{font}")' in (place / "built" / names["room/page.css"]).read_text()


def test_texts_have_compressed_copies_of_the_same_content(place):
    _, names = built(place)
    path = place / "built" / names["common/app.js"]
    assert gzip.decompress(Path(f"{path}.gz").read_bytes()) == path.read_bytes()
    assert brotli.decompress(Path(f"{path}.br").read_bytes()) == path.read_bytes()
    assert not Path(f"{place / 'built' / names['vendor/font.woff2']}.gz").exists()


def test_a_second_build_does_nothing_and_a_change_removes_what_is_no_longer_named(place):
    _, before = built(place)
    assert built(place) == (False, before)
    (place / "static/room/page.css").write_text(".c {}\n")
    done, after = built(place)
    assert done
    assert not (place / "built" / before["room/page.css"]).exists()
    assert not Path(f"{place / 'built' / before['room/page.css']}.br").exists()
    assert (place / "built" / after["room/page.css"]).exists()


def test_a_build_that_was_cut_short_is_made_again(place):
    _, names = built(place)
    (place / "built/names.json").write_text('{"mark"')
    (place / "built" / names["common/app.js"]).unlink()
    assert built(place) == (True, names)
    assert (place / "built" / names["common/app.js"]).exists()


def test_processes_that_build_at_once_build_once(place):
    done: list[bool] = []
    threads = [threading.Thread(target=lambda: done.append(built(place)[0])) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(done) == [False, False, False, True]


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("room/page.js", "import x from './x.js';\n", UnknownForm),
        ("room/page.css", '@import "gone.css";\n', ValueError),
        ("room/page.css", '@import "page.css";\n', ValueError),
    ],
)
def test_a_source_that_cannot_be_built_is_named_and_the_last_build_stays(place, name, text, error):
    _, names = built(place)
    (place / "static" / name).write_text(text)
    with pytest.raises(error, match=name):
        built(place)
    assert read_names(place / "built") == names


@pytest.mark.slow
def test_the_project_builds_within_the_limit_of_sizes(tmp_path):
    """What a first visit of the debugger loads, by names: 12 requests have room for seven of these files."""
    build(ROOT / "static", ROOT / "templates", tmp_path / "built")
    names = read_names(tmp_path / "built")
    needed = ["debugger/run.css", "vendor/htmx.js", "common/app.js", "debugger/run.js", "debugger/shared.js"]
    sizes = {name: os.path.getsize(tmp_path / "built" / f"{names[name]}.br") for name in needed}
    assert sum(sizes.values()) < 140_000, sizes
