"""Each form recognises its own example, before all others."""

from __future__ import annotations

import gzip

import pytest

from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.forms.recognising import FORMS, HEAD_LENGTH, file_head
from tests.scheduler_core.manifests.forms.examples import EXAMPLES


def test_each_form_has_an_example() -> None:
    assert [form.name for form in FORMS] == [*EXAMPLES]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_recognised_as_what_it_is(name: str) -> None:
    file, data = EXAMPLES[name]
    for packed in (data, gzip.compress(data)):
        head = file_head(ManifestSource(file, packed))
        assert next(form.name for form in FORMS if form.recognises(head)) == name


def test_a_head_is_the_beginning_of_what_is_inflated() -> None:
    head = file_head(ManifestSource("f", gzip.compress(b"\xef\xbb\xbf" + b"a" * 2 * HEAD_LENGTH)))
    assert (len(head.data), head.text) == (HEAD_LENGTH, "a" * (HEAD_LENGTH - 3))
    assert file_head(ManifestSource("f", b"\x1f\x8bx")).text == ""
