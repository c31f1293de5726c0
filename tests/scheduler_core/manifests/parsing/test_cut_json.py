"""Where a JSON text was cut, and what is left of it when it is closed."""

from __future__ import annotations

import json

import pytest

from scheduler_core.manifests.parsing.cut_json import before_cut

ROW = '{"a": "x\\"y"} [1, 2.5]\n{"b": [true, null, {"c": -1e5}]}'
LIST = '{"kind": "List", "metadata": {"v": "1"}, "items": [{"a": {"b": [1]}}, {"c": "]}"}]}'


def test_each_cut_leaves_the_whole_values_before_it() -> None:
    ends = [ROW.index("}") + 1, ROW.index("]") + 1]
    for length in range(1, len(ROW)):
        cut = before_cut(ROW[:length])
        whole = sum(end <= length for end in ends)
        if cut is None:
            assert length in ends or ROW[length - 1].isspace()
        else:
            assert len(ROW[: len(cut.text)].split("} [")) <= 2
            assert (cut.text.count("{"), cut.line) == (min(whole, 1), 1 + (length > ROW.index("\n") + 1))
            assert not cut.is_within_list


def test_a_list_is_closed_after_its_last_whole_entry() -> None:
    ends = [LIST.index("]}}") + 3, LIST.index('"}]}') + 2]
    for length in range(LIST.index("[") + 1, len(LIST)):
        cut = before_cut(LIST[:length])
        assert cut is not None
        assert cut.is_within_list
        assert len(json.loads(cut.text)["items"]) == sum(end <= length for end in ends)


WRONG = ("", " ", ROW, LIST, "x", '{"a": 1,, 2', '{"a" 1', '{"a": "x\n', "[1 2]", '{"a": tru}')


@pytest.mark.parametrize("text", WRONG)
def test_whole_and_wrong_texts_were_not_cut(text: str) -> None:
    assert before_cut(text) is None
