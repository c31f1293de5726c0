"""What cluster-info dump writes as one stream: lists are read, logs passed over and named."""

from __future__ import annotations

import json

from scheduler_core.manifests import ManifestSource, rewritten
from tests.scheduler_core.manifests.forms.reading import gaps, loaded, node, refusal

POD = {"metadata": {"name": "p", "namespace": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


def _list(kind: str, *items: dict) -> str:
    head = {"kind": kind, "apiVersion": "v1", "metadata": {"resourceVersion": "1"}}
    return json.dumps(
        {**head, "items": [{k: v for k, v in one.items() if k in ("metadata", "spec", "status")} for one in items]},
        indent=4,
    )


def _log(name: str, text: str) -> str:
    of = f"logs for container c of pod a/{name} ===="
    return f"==== START {of}\n{text}==== END {of}\n"


DUMP = "\n".join(
    [_list("NodeList", node("n")), _list("EventList"), _list("PodList", POD), _log("p", 'a\n{"x": 1\n') + _log("q", "")]
)


def test_lists_are_read_and_logs_named() -> None:
    result = loaded(DUMP)
    assert [(one.kind, one.name) for one in result.manifests] == [("Node", "n"), ("Pod", "p")]
    assert result.errors == []
    assert any("2 logs of containers (2 lines)" in warning.message for warning in result.warnings)
    assert b'"x": 1' not in rewritten(ManifestSource("f", DUMP.encode())).data


def test_a_dump_is_cut_in_a_list_or_in_a_log() -> None:
    assert gaps(DUMP[: DUMP.index("==== END")]) == ["CUT_OFF"]
    in_list = DUMP[: DUMP.index('"image"')]
    assert gaps(in_list) == ["CUT_OFF"]
    assert [one.kind for one in loaded(in_list).manifests] == ["Node"]


def test_a_dump_without_logs_is_a_row_of_lists_and_logs_alone_are_refused() -> None:
    lists = ManifestSource("f", DUMP[: DUMP.index("====")].encode())
    assert rewritten(lists) is lists
    assert "no objects" in refusal(_log("p", "x\n")).message
