"""A template is read once, handed out as copies, and judged as any manifest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.json_values import n_values
from scheduler_core.workloads.scheduler_perf import templates
from scheduler_core.workloads.scheduler_perf.templates import LIMITS, TemplateFiles
from tests.scheduler_core.workloads.scheduler_perf.texts import LIGHT_POD, source

if TYPE_CHECKING:
    from scheduler_core.manifests import ManifestSource


def test_a_file_is_opened_once_and_copies_share_nothing() -> None:
    opened: list[str] = []

    def open_file(name: str) -> ManifestSource:
        opened.append(name)
        return source(LIGHT_POD, name)

    files = TemplateFiles(open_file)
    first = files.fresh("../templates/./light.yaml", "Pod", {})
    first["metadata"]["labels"]["app"] = "changed"
    assert files.fresh("../templates/light.yaml", "Pod", {})["metadata"]["labels"] == {"app": "light"}
    assert opened == ["../templates/light.yaml"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metadata: 7", "metadata"),
        ("[]", "one object is needed"),
        ("a: [", "light.yaml"),
        ("{kind: Pod, metadata: {generateName: a-}, spec: {containers: []}}", "spec.containers"),
        ("x" * (LIMITS.max_bytes + 1), "light.yaml"),
    ],
)
def test_a_wrong_template_is_refused(text: str, message: str) -> None:
    with pytest.raises(LoadError) as refused:
        TemplateFiles(lambda name: source(text, name)).fresh("light.yaml", "Pod", {})
    assert message in refused.value.message


@pytest.mark.parametrize("sentence", ["all objects hold more than {:,} keys and values. Make fewer, or smaller ones"])
def test_what_all_objects_hold_is_counted(monkeypatch: pytest.MonkeyPatch, sentence: str) -> None:
    read = TemplateFiles(lambda name: source(LIGHT_POD, name))
    rendered = TemplateFiles(lambda name: source(LIGHT_POD.replace("light", "light-{{.Index}}", 1), name))
    size = n_values(read.fresh("light.yaml", "Pod", {}), 1_000)
    monkeypatch.setattr(templates, "MAX_VALUES", 6 * size)
    for files, n_taken in ((read, 5), (rendered, 1)):
        for _ in range(n_taken):
            files.fresh("light.yaml", "Pod", {"Index": 1})
        with pytest.raises(LoadError, match=re.escape(sentence.format(6 * size))):
            files.fresh("light.yaml", "Pod", {"Index": 1})
