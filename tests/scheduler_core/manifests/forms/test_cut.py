"""JSON that ends too early gives what came before, and says so; JSON that is wrong otherwise stays an error."""

from __future__ import annotations

import gzip
import json

from scheduler_core.manifests import Limits, ManifestSource, masked_source, rewritten
from tests.scheduler_core.manifests.forms.reading import gaps, loaded, node, refusal

NODES = [node(name, annotations={"said": 'é "{[ \\'}) for name in ("a", "b", "c")]
LIST = json.dumps({"apiVersion": "v1", "items": NODES, "kind": "List", "metadata": {}}, indent=4, ensure_ascii=False)
ROW = "\n".join(json.dumps(one, ensure_ascii=False) for one in NODES)


def test_a_list_and_a_row_of_objects_are_cut_at_any_byte() -> None:
    for text in (LIST, ROW):
        data = text.encode()
        ends = [data.index(b'"name": "' + name) for name in (b"b", b"c")]
        for length in range(ends[0] + 5, len(data) - 1, 5):
            if data[:length].rstrip()[-1:] == b"}":
                continue
            result = loaded(data[:length])
            assert result.errors == []
            assert [gap.code for gap in result.unplayed.gaps] == ["CUT_OFF"]
            names = [manifest.name for manifest in result.manifests]
            assert names == ["a", "b", "c"][: len(names)]
            assert len(names) >= 1 + (length > ends[1])


def test_a_gzipped_text_was_cut_before_it_was_packed() -> None:
    assert gaps(gzip.compress(LIST[:-30].encode())) == ["CUT_OFF"]


def test_what_is_cut_before_its_first_object_is_refused_by_line() -> None:
    assert (refusal(LIST[:30]).line, "cut off" in refusal(LIST[:30]).message) == (2, True)
    assert "cut off" in refusal(ROW[:30]).message


def test_wrong_or_whole_texts_are_not_taken_for_cut_ones() -> None:
    for text in (LIST, '{"a": 1,, "b"', '{"a" 1', "{a: 1} # flow style", '{"a": "x\ny'):
        source = ManifestSource("f", text.encode())
        assert rewritten(source) is source
    for text in ("{", '{"a": "\\u00', '{"a": -', '{"a": 1e', '{"a": tr', '{"a": "b\\'):
        assert "cut off" in refusal(text).message


def test_what_is_left_out_is_not_stored() -> None:
    """Masking keeps nothing of the object that was begun where the text is cut."""
    secret = json.dumps(
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"password": "hunter2"}}
    )
    stored = masked_source(ManifestSource("f", (ROW + secret[:-3]).encode()), Limits()).source.data
    assert b"hunter2" not in stored
    assert b'"a"' in stored
