"""Export: what is written is read back as the same, by this reader and by a stock YAML 1.1 loader."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core.manifests import Limits, dump_yaml
from scheduler_core.manifests.parsing.yaml_events import Reader
from tests.seeds import how_many

TRICKY = [
    "yes",
    "no",
    "on",
    "1:30",
    "0x10",
    "010",
    "1e3",
    "2024-05-01",
    "2024-05-01T10:00:00Z",
    "null",
    "~",
    "",
    "y",
    "n",
    "=",
    "<<",
    "- a",
    "a: b",
    "#c",
    "multi\nline\n",
    " lead",
    "trail ",
    "\ttab",
    "1_000",
    ".inf",
    "+1",
    "0o17",
    "\u202e",
    "é",
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.sampled_from(TRICKY)
    | st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Co"]), max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*TRICKY, "name"]), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.slow
@given(VALUES)
@settings(max_examples=how_many(50, 200), deadline=None)
def test_what_is_written_is_read_back(value):
    raw = {"kind": "X", "spec": value}
    text = dump_yaml([raw, raw])
    assert [d.value for d in Reader(text, Limits()).documents()] == [raw, raw]
    assert list(yaml.safe_load_all(text)) == [raw, raw]


def test_keys_come_in_the_usual_order_and_sharing_leaves_no_anchors():
    labels = {"b": "1", "a": "2"}
    raw = {
        "status": {},
        "spec": {"x": labels},
        "kind": "Pod",
        "metadata": {"labels": labels, "name": "p"},
        "apiVersion": "v1",
    }
    assert dump_yaml([raw]) == (
        'apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  labels:\n    a: "2"\n    b: "1"\n'
        'spec:\n  x:\n    a: "2"\n    b: "1"\nstatus: {}\n'
    )
