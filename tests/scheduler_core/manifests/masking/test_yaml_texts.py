"""Values of YAML texts are masked where they stand, by what was noted when they were read."""

from __future__ import annotations

import pytest

from scheduler_core.manifests.masking.secrets import secrets
from scheduler_core.manifests.masking.yaml_texts import masked_by_spans, masked_by_watch
from scheduler_core.manifests.model import Limits
from scheduler_core.manifests.parsing.sources import read_documents
from scheduler_core.manifests.parsing.yaml_events import ScalarSpans

POD = """\
kind: Pod
metadata: {name: "a # b"}   # token: hunter2
spec:
  containers:
  - command: VALUE
    name: c
"""
WAYS = [
    "[hunter2]",
    "['hunter''2']",
    '["hunter\\"2", hunter2 ]  # plain',
    "[hunter\n     2]",
    "\n    - |\n     hunter2\n\n     more\n    - 5",
    "\n    - >-\n     hunter2\n     more\n    -   hunter2",
    '[sh, "#hunter2", "# token: hunter2"] # token: hunter2',
]


@pytest.mark.parametrize("way", WAYS)
def test_both_ways_of_finding_the_places_write_the_same(way: str) -> None:
    text = POD.replace("VALUE", way)
    spans = ScalarSpans()
    values = [document.value for document in read_documents(text, Limits(), spans=spans)]
    to_mask = [list(secrets(value)) for value in values]
    written = masked_by_spans(text, values, to_mask, spans)
    assert written == masked_by_watch(text, to_mask, spans, Limits())
    assert written is not None
    assert "hunter" not in written
    assert written.count("\n") == text.count("\n")
    assert '"a # b"' in written


@pytest.mark.parametrize(
    "text",
    [
        "kind: Foo\na: &x hunter2\nb: *x\n",
        "kind: Foo\na: !!str hunter2\n",
        "kind: Foo\na: &x {b: c}\nd: {<<: *x}\n",
        "%YAML 1.1\n---\nkind: Foo\na: hunter2\n",
        "\ufeffkind: Foo\na: hunter2\n",
        'kind: Foo\na: "hunter2\u2028more"\n',
        "kind: Foo\ra: hunter2\r",
    ],
)
def test_spans_are_not_trusted_where_places_are_unsure(text: str) -> None:
    spans = ScalarSpans()
    values = [document.value for document in read_documents(text, Limits(), spans=spans)]
    assert masked_by_spans(text, values, [list(secrets(value)) for value in values], spans) is None


def test_a_piece_that_is_not_the_value_alone_is_not_replaced() -> None:
    text = "kind: Foo\na: hunter2\n"
    spans = ScalarSpans()
    (document,) = read_documents(text, Limits(), spans=spans)
    spans.starts[3] += 1
    assert masked_by_spans(text, [document.value], [list(secrets(document.value))], spans) is None
