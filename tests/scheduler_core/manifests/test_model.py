"""Findings as one line, paths as people write them, and values in messages."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.manifests.model import (
    Finding,
    LoadResult,
    Manifest,
    path_of_text,
    path_text,
    plain,
    printable,
    quoted,
    shortened,
)


def test_a_finding_is_one_line_with_what_is_known_of_its_place():
    full = Finding(severity="warning", source="a.yaml", line=3, object="Pod a/b", field="spec.x", message="is odd")
    assert full.text().split(": ") == ["warning", "a.yaml:3", "Pod a/b", "spec.x", "is odd"]
    assert Finding(severity="error", source="a.yaml", message="is\nodd").text() == "a.yaml: is\\nodd"


PATHS = [
    (("spec", "containers", 0, "ports"), "spec.containers[0].ports"),
    (("metadata", "labels", "a.b/c"), "metadata.labels[a.b/c]"),
    ((2, "name"), "[2].name"),
    ((), ""),
]


@pytest.mark.parametrize(("path", "text"), PATHS)
def test_a_path_is_written_as_people_do_and_read_back(path, text):
    assert path_text(path) == text
    assert path_of_text(text) == path


def test_a_long_key_is_cut():
    assert path_text(("x/" + "k" * 100,)) == "[x/" + "k" * 58 + "…]"


@pytest.mark.parametrize(
    ("value", "text"),
    [("a", '"a"'), (True, "true"), (None, "null"), ({"a": 1}, "a mapping"), ([1], "a list"), (3, "3")],
)
def test_a_value_in_a_message_is_quoted_or_called_what_it_is(value, text):
    assert quoted(value) == text


def test_text_is_made_safe_for_a_terminal():
    assert printable("plain é") == "plain é"
    assert printable("a\x1b[31m\u202e") == "a\\x1b[31m\\u202e"
    assert shortened("x" * 61) == "x" * 60 + "…"


def test_an_object_of_a_typed_list_is_completed_with_kind_and_version():
    manifest = Manifest(kind="Pod", api_version="v1", name="p", content=msgspec.Raw(b'{"metadata": {"name": "p"}}'))
    assert manifest.raw == {"metadata": {"name": "p"}}
    assert manifest.complete == {"metadata": {"name": "p"}, "apiVersion": "v1", "kind": "Pod"}
    value = {"a": 1}
    assert plain(value) is value


def test_warnings_do_not_make_an_input_unusable():
    warning = Finding(severity="warning", source="a", message="odd")
    error = Finding(severity="error", source="a", message="wrong")
    assert LoadResult(findings=[warning]).ok
    both = LoadResult(findings=[warning, error])
    assert (both.ok, both.errors, both.warnings) == (False, [error], [warning])
