"""JSON lists are masked entry by entry, and read once."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.manifests.masking.json_lists import masked_list
from scheduler_core.manifests.masking.secrets import OTHER_KINDS
from scheduler_core.manifests.model import Limits
from scheduler_core.manifests.parsing.json_lists import NotPlain, open_list

POD = b'{"kind":"Pod","spec":{"containers":[{"env":[{"name":"A","value":"hunter2"}]}]}}'
NODE = b'{"kind":"Node","metadata":{"name":"n"}}'


def whole(*entries: bytes) -> bytes:
    return b'{"apiVersion":"v1", "items":[' + b" , ".join(entries) + b'],"kind":"List"}'


def test_entries_stay_where_they_stand_and_refer_to_the_masked_text() -> None:
    masked = masked_list(open_list(whole(NODE, POD, NODE, POD), Limits()))
    assert masked.text == whole(NODE, POD, NODE, POD).replace(b"hunter2", b"***")
    assert masked.content is not None
    assert masked.content.data is masked.text
    for index, (header, content) in enumerate(masked.content):
        start = masked.content.start(index)
        assert masked.text[start:].startswith(bytes(content))
        assert header["kind"] == msgspec.json.decode(content)["kind"]


def test_a_list_without_secrets_is_given_back_as_it_is() -> None:
    masked = masked_list(open_list(whole(NODE, NODE), Limits()))
    assert masked.text is None
    assert masked.content is not None
    assert masked.content.data == whole(NODE, NODE)


def test_an_entry_that_is_no_object_is_masked_as_a_whole() -> None:
    masked = masked_list(open_list(whole(b'"hunter2"', b"[5]", NODE), Limits()))
    assert masked.text == whole(b'"***"', b'["***"]', NODE)
    assert masked.counts == {OTHER_KINDS: 2}


@pytest.mark.parametrize(
    "entry", [POD.replace(b'"A"', b'"A","name":"B"'), b'{"kind":"Foo","a":1,"a":2}', b'{"a":1,"a":2}']
)
def test_an_entry_that_may_hold_a_secret_and_cannot_be_read_is_refused(entry: bytes) -> None:
    with pytest.raises(NotPlain):
        masked_list(open_list(whole(NODE, entry), Limits()))


def test_progress_is_reported_while_entries_are_read() -> None:
    shares: list[float] = []
    masked_list(open_list(whole(*[NODE] * 512), Limits()), shares.append)
    assert shares == [0.0, 0.5]
