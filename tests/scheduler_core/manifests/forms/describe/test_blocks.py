"""Texts are taken apart by indentation: blocks, fields, and what belongs to a field."""

from __future__ import annotations

import pytest

from scheduler_core.manifests.forms.describe.blocks import blocks_in, parts

TEXT = """Name:         web-0
Labels:       app=web
              tier=front
Node:         <none>
Containers:
  main:
    Image:  nginx
    Environment:
      A:  first line
          Name: of no block

Name:         web-1
"""


@pytest.mark.parametrize("prefix", ["", "    ", "> ", "\t"])
def test_blocks_have_fields_by_name_however_the_text_is_indented(prefix: str) -> None:
    text = "It does not start:\n" + "".join(f"{prefix}{line}\n" for line in TEXT.splitlines())
    first, second = blocks_in(text)
    assert (first.line, first.value("Name"), second.value("Name")) == (2, "web-0", "web-1")
    assert first.values("Labels") == ["app=web", "tier=front"]
    assert (first.value("Node"), first.values("Node"), first.value("Absent")) == ("", [], "")
    assert parts(first.lines("Containers"))["main"].lines[0].strip() == "Image:  nginx"


def test_other_text_ends_a_block() -> None:
    (block,) = blocks_in("Name:  a\nEvents:  <none>\n$ kubectl get pods -A\n  x: y\n")
    assert block.lines("Events") == []
    assert list(blocks_in("nothing here\n")) == []


def test_parts_are_those_of_the_first_indentation() -> None:
    inner = parts(["  a:  1", "    deeper: x", "  b:", "      c: 2"])
    assert (inner["a"].value, inner["b"].value) == ("1", "")
    assert (inner["a"].lines, inner["b"].lines) == (["    deeper: x"], ["      c: 2"])
    assert parts([]) == {}
