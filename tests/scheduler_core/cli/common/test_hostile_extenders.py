"""On the command line: servers that are slow, lie or answer too much, and tapes that nobody should trust."""

from __future__ import annotations

import json

import pytest

from scheduler_core.cli.runs import simulate
from scheduler_core.extenders.http import source
from scheduler_core.extenders.tape import sections
from tests.scheduler_core.cli.common.test_extenders import node, pod, run
from tests.scheduler_core.extenders.http.raw_server import respond, serving

CONFIG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {{urlPrefix: "{url}/slow", filterVerb: filter, httpTimeout: 200ms, {usual}}}
- {{urlPrefix: "{url}/lie", filterVerb: filter, prioritizeVerb: scores, weight: 1, {usual}}}
- {{urlPrefix: "{url}/huge", filterVerb: filter, {usual}}}
- {{urlPrefix: "{url}/fails", filterVerb: filter, prioritizeVerb: scores, weight: 2, {usual}}}
"""
USUAL = "nodeCacheCapable: true, ignorable: true"


def answer_of(server_over):
    """Answers by path: none in time, nodes that nobody knows, more than is read, an error."""

    def answer(connection, request):
        path, body = request[1], json.loads(request[3])
        if path.startswith("/slow"):
            server_over().wait(5)
            return False
        if path == "/lie/filter":
            return respond(json.dumps({"NodeNames": [*body["NodeNames"], "ghost"]}).encode())(connection, request)
        if path == "/lie/scores":
            scores = [{"Host": "ghost", "Score": 10}, {"Host": "n1", "Score": -5}, {"Host": "n1", "Score": 7}]
            return respond(json.dumps(scores).encode())(connection, request)
        if path.startswith("/huge"):
            return respond(b"{" + b" " * 5_000 + b"}")(connection, request)
        return respond(b"{}", "503 Service Unavailable")(connection, request)

    return answer


@pytest.mark.slow
def test_whatever_servers_do_a_run_is_recorded_and_repeated(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(source, "MAX_ANSWER_BYTES", 4_000)
    cluster, config, tape = (str(tmp_path / name) for name in ("cluster.json", "config.yaml", "run.tape"))
    items = [*(node(f"n{i}") for i in range(3)), *(pod(f"p{i}", cpu="1") for i in range(3))]
    with open(cluster, "w", encoding="utf-8") as file:
        json.dump({"kind": "List", "apiVersion": "v1", "items": items}, file)
    servers = []
    with serving(answer_of(lambda: servers[0].over)) as server:
        servers.append(server)
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(url=server.url(), usual=USUAL))
        status, recorded, errors = run(
            capsys, simulate, cluster, "--config", config, "--record-extenders", tape, "--json"
        )
    assert status == 0, errors
    assert "of them failed: " in errors
    first = json.loads(recorded)
    assert first["cycles"] == 3
    assert not first["pending"]
    status, output, errors = run(capsys, simulate, cluster, "--config", config, "--tape", tape, "--json")
    assert status == 0
    assert [line for line in errors.splitlines() if not line.startswith("kube-scheduler ")] == []
    again = json.loads(output)
    assert (again["recording_hash"], again["left_tape"]) == (first["recording_hash"], None)
    refuse_hostile(capsys, cluster, config, tape)


def refuse_hostile(capsys, cluster, config, tape):
    """Each of these is refused with the file and the byte, and nothing runs."""
    with open(tape, "rb") as file:
        data = file.read()
    with open(tape, "rb") as file:
        parts = [(one.kind, sections.content(one, "t")) for one in sections.read_sections(file, "t")]
    deep = [(sections.HEADER, b"\x81\xa1a" + b"\x91" * 200_000), *parts[1:]]
    twice = [parts[0], *parts]
    for hostile, said in (
        (data[: len(data) // 2], "byte "),
        (data[:-1], "the tape is cut off"),
        (data + b"x", "there is more after the end of the tape"),
        (data[:40] + bytes([data[40] ^ 1]) + data[41:], "a section is damaged"),
        (_tape_of(deep), "nested too deeply in each other"),
        (_tape_of(twice), "this section does not belong here"),
        (_tape_of(parts[:-1]), "the tape is cut off"),
        (b"", "is no tape"),
    ):
        with open(tape, "wb") as file:
            file.write(hostile)
        status, output, errors = run(capsys, simulate, cluster, "--config", config, "--tape", tape)
        assert (status, output) == (1, ""), errors
        assert errors.startswith(f"{tape}: ")
        assert said in errors


def _tape_of(parts):
    return sections.prologue() + b"".join(sections.packed(*one) for one in parts)
