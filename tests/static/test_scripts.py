"""Unit tests of the pages' scripts, written in JavaScript and run by the Chromium that the browser tests use.

`<folder>/<name>.test.js` beside this file tests `static/<folder>/<name>.js`. Each function that it exports is a test,
whose name is the sentence; it fails by throwing, may be async, and finds `equal`, `near` and `ok` in
`assert.js`. All run in one blank page that may import the scripts of the repository, without server or database.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, Route, sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ORIGIN = "http://scripts.test"
FOLDERS = (ROOT / "static", HERE)
FILES = sorted(HERE.rglob("*.test.js"))
RUN = "async ([path, name]) => { const tests = await import(path); await tests[name](); }"


def _tests_in(file: Path) -> list[str]:
    return re.findall(r"^export (?:async )?function (\w+)", file.read_text(), re.MULTILINE)


def _name_of(file: Path) -> str:
    return file.relative_to(HERE).as_posix()


CASES = [(_name_of(file), name) for file in FILES for name in _tests_in(file)]


@pytest.fixture(scope="module")
def blank_page(chromium_path: str) -> Iterator[Page]:
    """Yield a page without content that may import scripts and tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path)
        page = browser.new_page()
        page.route(f"{ORIGIN}/**", _answer)
        page.goto(f"{ORIGIN}/")
        yield page
        browser.close()


def _answer(route: Route) -> None:
    path = ROOT / route.request.url.removeprefix(f"{ORIGIN}/")
    if path == ROOT:
        route.fulfill(content_type="text/html", body="<!doctype html><title>Scripts</title>")
    elif path.is_file() and any(path.is_relative_to(folder) for folder in FOLDERS):
        route.fulfill(content_type="text/javascript", path=path)
    else:
        route.fulfill(status=404)


@pytest.mark.browser
@pytest.mark.parametrize(("file", "name"), CASES)
def test_script(blank_page: Page, file: str, name: str) -> None:
    blank_page.evaluate(RUN, [f"/tests/static/{file}", name])


def test_every_file_of_tests_lies_where_its_script_does() -> None:
    assert FILES
    for file in FILES:
        script = ROOT / "static" / _name_of(file).replace(".test.js", ".js")
        assert script.is_file(), f"{file.name} tests no script"
        assert _tests_in(file), f"{file.name} has no test"
