"""Runs with extenders on the command line: recorded from a real server, repeated elsewhere without a network."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from scheduler_core.cli.answers import agree, why
from scheduler_core.cli.runs import compare, search, simulate
from tests.patience import PATIENCE
from tests.scheduler_core.extenders.http.raw_server import respond, serving

N_PODS = int(os.environ.get("TAPE_PODS", "40"))
"""2,000 is the long form: as many cycles, three extenders."""
NO_NETWORK = """
import os, runpy, sys
def hook(event, args):
    if event.startswith("socket."):
        os.write(2, b"a socket was used")
        os._exit(9)
sys.addaudithook(hook)
sys.argv[0] = "schedscope"
runpy.run_module("scheduler_core", run_name="__main__")
"""
CONFIG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {{urlPrefix: "{url}/a", filterVerb: filter, prioritizeVerb: scores, weight: 3, nodeCacheCapable: true}}
- {{urlPrefix: "{url}/b", filterVerb: filter, preemptVerb: preempt, nodeCacheCapable: true, ignorable: true}}
- {{urlPrefix: "{url}/c", prioritizeVerb: scores, weight: 1}}
"""


def objects(n_pods):
    """A third more pods than fit, on nodes for 20 each, half of whose room pods of lower priority have."""
    n_nodes = max(n_pods * 3 // 80, 2)
    for i in range(n_nodes):
        yield node(f"n{i}", disk="ssd" if i % 2 else "hdd")
        yield from (pod(f"old{i}-{k}", cpu="2", priority=-1, nodeName=f"n{i}") for k in range(5))
    yield from (pod(f"p{i}", cpu="1", priority=i % 3) for i in range(n_pods))


def node(name, **labels):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": f"uid-{name}", "labels": labels},
        "status": {"allocatable": {"cpu": "20", "memory": "64Gi", "pods": "110"}},
    }


def pod(name, cpu, **spec):
    requests = {"cpu": cpu, "memory": "1Gi"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "uid": f"uid-{name}", "labels": {"app": f"a{sum(map(ord, name)) % 3}"}},
        "spec": {"containers": [{"name": "c", "resources": {"requests": requests}}], **spec},
    }


def answer(connection, request):
    """Three extenders that decide by names: some nodes refused, some calls failed, scores, fewer candidates."""
    path, body = request[1], json.loads(request[3])
    pod = body["Pod"]["metadata"]["name"]
    if path.endswith("preempt"):
        victims = body["NodeNameToMetaVictims"]
        return respond(json.dumps({"NodeNameToMetaVictims": dict(sorted(victims.items())[:3])}).encode())(
            connection, request
        )
    names = body["NodeNames"] or [node["metadata"]["name"] for node in body["Nodes"]["items"]]
    if path.endswith("scores"):
        scores = [{"Host": name, "Score": sum(map(ord, name + pod)) % 11} for name in names]
        return respond(json.dumps(scores).encode())(connection, request)
    if path == "/b/filter" and pod.endswith("7"):
        return respond(b"not now", "500 Internal Server Error")(connection, request)
    failed = {name: "is not for this pod" for name in names if sum(map(ord, path + name + pod)) % 7 == 0}
    passed = [name for name in names if name not in failed]
    return respond(json.dumps({"NodeNames": passed, "FailedNodes": failed}).encode())(connection, request)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The paths of (cluster, configuration, tape), the report of the run that recorded the tape."""
    folder = tmp_path_factory.mktemp("extenders")
    cluster, config, tape = (folder / name for name in ("cluster.json", "config.yaml", "run.tape"))
    cluster.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": list(objects(N_PODS))}))
    with serving(answer) as server:
        config.write_text(CONFIG.format(url=server.url()))
        options = simulate._parser().parse_args(
            [str(cluster), "--config", str(config), "--record-extenders", str(tape)]
        )
        report = simulate.simulate(options)
    return str(cluster), str(config), str(tape), report


def run(capsys, command, *arguments):
    """(status, output, errors) of a command."""
    status = command.run([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.slow
def test_a_run_is_repeated_from_its_tape_by_another_process_without_a_network(files):
    cluster, config, tape, report = files
    arguments = ["simulate", cluster, "--config", config, "--tape", tape, "--json"]
    done = subprocess.run(
        [sys.executable, "-c", NO_NETWORK, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    repeated = json.loads(done.stdout)
    assert repeated["recording_hash"] == report.recording_hash
    assert repeated["left_tape"] is None
    assert report.cycles >= N_PODS
    assert report.preemptions


@pytest.mark.slow
def test_without_a_network_means_that_a_socket_ends_the_process(files):
    cluster, config, tape, _ = files
    arguments = ["simulate", cluster, "--config", config, "--record-extenders", tape + "2"]
    done = subprocess.run(
        [sys.executable, "-c", NO_NETWORK, *arguments], capture_output=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (9, b"a socket was used")


@pytest.mark.slow
def test_every_command_that_runs_a_cluster_takes_a_tape(files, capsys):
    cluster, config, tape, report = files
    given = (cluster, "--config", config, "--tape", tape)
    pending = next(iter(report.pending))
    status, output, _ = run(capsys, why, *given, "--pod", pending, "--node", "n1")
    assert status == 0
    assert "Extender http://127.0.0.1:" in output
    status, output, _ = run(capsys, search, *given, "outcome:scheduled")
    assert status == 0
    assert re.search(r"^[1-9][0-9,]* cycles", output, re.MULTILINE)
    status, output, errors = run(capsys, compare, *given, "--schedule", "pending", "--seed", "0")
    assert status == 0
    assert errors.startswith("kube-scheduler ")
    assert errors.count("\n") == 1, "the version is said once"


def test_a_run_that_goes_another_way_says_where_it_leaves_the_tape(files, capsys, tmp_path):
    cluster, config, tape, _ = files
    changes = tmp_path / "changes.yaml"
    changes.write_text("changes: [{action: delete, object: {apiVersion: v1, kind: Node, metadata: {name: n1}}}]")
    status, output, _ = run(
        capsys, simulate, cluster, "--config", config, "--tape", tape, "--changes", changes, "--at", 60
    )
    assert status == 0
    left = next(line for line in output.splitlines() if line.startswith("LEFT THE TAPE"))
    assert "filter of extenders[0]" in left
    assert "pod default/p" in left


DECLARED = """
extenders:
- filter: [{nodes: {matchLabels: {disk: hdd}}, refuse: disk is slow}]
- filter: [{pods: {matchLabels: {app: a1}}, fail: 500}]
- {}
"""


def test_rules_answer_in_place_of_servers(files, capsys, tmp_path):
    cluster, config, _, _ = files
    rules = tmp_path / "rules.yaml"
    rules.write_text(DECLARED)
    status, output, _ = run(capsys, simulate, cluster, "--config", config, "--declared-extender", rules, "--json")
    assert status == 0
    report = json.loads(output)
    assert report["placements"]
    assert {node for pod, node in report["placements"].items() if "/p" in pod and int(node[1:]) % 2 == 0} == set()
    assert any("disk is slow" in message for message in report["pending"].values())


# --- refusals --------------------------------------------------------------------------------------------------------


def refused(capsys, *arguments, command=simulate):
    """What is said of arguments that are refused."""
    status, output, errors = run(capsys, command, *arguments)
    assert (status, output) == (1, "")
    return errors


def test_extenders_that_nothing_answers_for_are_refused_and_the_options_named(files, capsys):
    cluster, config, _, _ = files
    errors = refused(capsys, cluster, "--config", config)
    assert all(option in errors for option in ("--tape", "--declared-extender", "--record-extenders"))
    assert f"{config}:5: KubeSchedulerConfiguration: extenders[0]: " in errors


def test_a_tape_of_another_cluster_or_configuration_is_refused(files, capsys, tmp_path):
    cluster, config, tape, _ = files
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [*objects(N_PODS), node("n99")]}))
    errors = refused(capsys, other, "--config", config, "--tape", tape)
    assert errors.startswith(f"{tape}: ")
    assert "another cluster" in errors
    changed = tmp_path / "config.yaml"
    with open(config, encoding="utf-8") as file:
        changed.write_text(file.read().replace("/c", "/d"))
    errors = refused(capsys, cluster, "--config", changed, "--tape", tape)
    assert "another configuration: extenders[2].urlPrefix" in errors


def test_a_tape_is_not_recorded_over_a_file_nor_where_none_can_be(files, capsys, tmp_path):
    cluster, config, tape, _ = files
    errors = refused(capsys, cluster, "--config", config, "--record-extenders", tape)
    assert "exists already" in errors
    nowhere = tmp_path / "none" / "run.tape"
    errors = refused(capsys, cluster, "--config", config, "--record-extenders", nowhere)
    assert errors.startswith(f"{nowhere}: cannot be written: ")


def test_an_extender_that_binds_is_called_on_request_alone(files, capsys, tmp_path):
    cluster, _, _, _ = files
    config, tape = tmp_path / "config.yaml", tmp_path / "run.tape"

    def bind(connection, request):
        return respond(b'{"Error":"not this one"}')(connection, request)

    with serving(bind) as server:
        config.write_text(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
            f"extenders: [{{urlPrefix: '{server.url()}', bindVerb: bind}}]\n"
        )
        arguments = (cluster, "--config", config, "--record-extenders", tape)
        errors = refused(capsys, *arguments)
        assert "extenders[0].bindVerb: " in errors
        assert not server.requests
        status, _, errors = run(capsys, simulate, *arguments, "--call-bind")
        assert status == 0
        assert {request[1] for request in server.requests} == {"/bind"}
        assert errors.startswith(f"{tape}: {len(server.requests):,} calls (")


def test_a_recording_says_what_failed(files, capsys, tmp_path):
    cluster, config, _, _ = files
    tape = tmp_path / "run.tape"
    status, _, errors = run(
        capsys, simulate, cluster, "--config", config, "--record-extenders", tape, "--max-cycles", 2
    )
    assert status == 1
    assert errors.startswith(f"{tape}: 2 calls, 2 ")
    assert "connect: connection refused (" in errors


def test_wrong_rules_are_told_with_their_place(files, capsys, tmp_path):
    cluster, config, _, _ = files
    rules = tmp_path / "rules.yaml"
    rules.write_text("extenders:\n- bind: []\n- {}\n- {}\n")
    errors = refused(capsys, cluster, "--config", config, "--declared-extender", rules)
    assert errors.startswith(f"{rules}:2: declared extenders: extenders[0].bind: ")


def test_two_answers_for_one_extender_are_a_wrong_command_line(files, capsys):
    cluster, config, tape, _ = files
    with pytest.raises(SystemExit) as ended:
        simulate.run([cluster, "--config", config, "--tape", tape, "--record-extenders", tape])
    assert ended.value.code == 2
    assert "not allowed with" in capsys.readouterr().err


def test_a_comparison_names_what_answered_on_each_side(files, capsys, tmp_path):
    cluster, config, tape, _ = files
    other = tmp_path / "other.tape"
    shutil.copy(tape, other)
    status, output, _ = run(capsys, compare, cluster, "--config", config, "--tape", tape, other, "--json")
    assert status == 0
    (difference,) = json.loads(output)["inputs"]
    assert difference["what"] == "answers of extenders"
    assert difference["b"].startswith("tape other.tape (")


def test_agreement_with_the_real_scheduler_takes_rules_and_a_tape(files, capsys, tmp_path):
    cluster, config, tape, _ = files
    rules = tmp_path / "rules.yaml"
    rules.write_text(DECLARED)
    status, output, _ = run(capsys, agree, cluster, "--config", config, "--declared-extender", rules, "--json")
    assert status == 0
    nodes = {pod["node"] for pod in json.loads(output)["pods"]["pending"]} - {""}
    assert {int(node[1:]) % 2 for node in nodes} == {1}, "the disks of the others are too slow"
    status, output, errors = run(capsys, agree, cluster, "--config", config, "--tape", tape)
    assert status == 0
    assert all(line.startswith(("kube-scheduler ", "LEFT THE TAPE at cycle ")) for line in errors.splitlines())


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("CLUSTER --tape TAPE", "--tape: the configuration has no extenders, so nobody is asked\n"),
        ("CLUSTER --call-bind", "--call-bind: says what --record-extenders calls\n"),
        ("CLUSTER --config CONFIG --tape CLUSTER",
         "CLUSTER: is no tape: it does not begin with 'schedscope extender tape'\n"),
        ("CLUSTER --config CONFIG --record-extenders OTHER --changes OTHER",
         "--record-extenders: records a run. Give its tape to the branch by --tape FILE\n"),
        ("CLUSTER --config CONFIG --record-extenders TAPE",
         "TAPE: exists already; a tape is never written over another file\n"),
    ],
)  # fmt: skip
def test_words_of_refusals(files, capsys, tmp_path, arguments, text):
    """A tape that nobody would ask, no tape, a branch, a file that is there."""
    places = {"CLUSTER": files[0], "CONFIG": files[1], "TAPE": files[2], "OTHER": str(tmp_path / "other")}
    errors = refused(capsys, *(places.get(word, word) for word in arguments.split()))
    for name, place in places.items():
        errors = errors.replace(place, name)
    assert errors == text
