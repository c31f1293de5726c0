"""Each form recognises its own example, before all others."""

from __future__ import annotations

import gzip

import pytest

from scheduler_core.api.unplayed import InputGap
from scheduler_core.manifests import ManifestSource, load_cluster, masked_source
from scheduler_core.manifests.forms.model import FormReading, as_source
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


def test_masking_keeps_what_a_form_lacks_and_no_secret_in_it() -> None:
    gaps = (InputGap(code="A", text="no node", objects=("v1/Node//n",)), InputGap(code="B", text=f"ghp_{'a' * 36}"))
    masked = masked_source(as_source("f", FormReading([], gaps, ("2 logs are passed over",))))
    result = load_cluster([masked.parsed or masked.source])
    assert [(gap.code, gap.text) for gap in result.unplayed.gaps] == [("A", "no node"), ("B", "***")]
    assert result.unplayed.gaps[0].objects == gaps[0].objects
    assert [one.message for one in result.warnings] == ["2 logs are passed over"]
