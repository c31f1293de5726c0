"""Scores read from logs and annotations: both forms of a log, later attempts, and whatever else comes."""

from __future__ import annotations

import gzip
import json
from random import Random

import pytest

from scheduler_core.explain.agreement.logs import (
    MAX_LINE,
    MAX_PROBLEMS,
    LoggedAttempt,
    LogProblem,
    LogProblems,
    LogStep,
    in_attempts,
    lines_of_file,
    log_steps,
    scores_in_annotations,
)
from scheduler_core.testing.builders import make_pod

TEXT = (
    'I0711 10:00:00.000001       1 schedule_one.go:744] "Plugin scored node for pod" pod="shop/web" '
    'plugin="NodeResourcesFit" node="n1" score=87'
)
OTHER = (
    'I0711 10:00:00.000001       1 schedule_one.go:803] "Calculated node\'s final score for pod" pod="shop/web" score=9'
)
SCORED = LogStep("scored", "shop/web", "n1", "NodeResourcesFit", 87)


def as_json(**fields):
    line = {"ts": 1.5, "v": 10, "msg": "Plugin scored node for pod", "pod": {"name": "web", "namespace": "shop"}}
    return json.dumps({**line, "plugin": "NodeResourcesFit", "node": "n1", "score": 87, **fields})


def read(*lines):
    problems = LogProblems()
    return list(log_steps(lines, problems)), problems


@pytest.mark.parametrize("line", [TEXT, as_json(), f"kube-scheduler-a {TEXT}"])
def test_lines_of_text_and_of_json_say_the_same_and_others_are_passed_over(line):
    assert read(OTHER, line, "and more") == ([SCORED], LogProblems())


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ('I1 "Attempting to schedule pod" pod="shop/web"', LogStep("tried", "shop/web")),
        ('I1 "Successfully bound pod to node" pod="a/b" node="n1" evaluatedNodes=9', LogStep("bound", "a/b", "n1")),
        ('I1 "Add event for scheduled pod" pod="a/b"', LogStep("pod_came", "a/b")),
        ('I1 "Delete event for scheduled pod" pod="a/b"', LogStep("pod_went", "a/b")),
        ('I1 "Add event for node" node="n1"', LogStep("node_came", node="n1")),
        ('{"msg":"Add event for node","node":{"name":"n1"}}', LogStep("node_came", node="n1")),
    ],
)
def test_attempts_bindings_and_what_informers_saw_are_read(line, step):
    assert read(line) == ([step], LogProblems())


def test_scores_of_an_attempt_come_together_when_it_ends():
    def scored(pod, node, score):
        return LogStep("scored", pod, node, "X", score)

    steps = [
        LogStep("tried", "a/p"),
        scored("a/p", "n1", 1),
        LogStep("bound", "a/q", "n2"),
        scored("a/p", "n2", 2),
        LogStep("bound", "a/p", "n2"),
        scored("a/r", "n1", 3),
        scored("a/r", "n1", 4),
        LogStep("tried", "a/p"),
    ]
    assert list(in_attempts(steps)) == [
        steps[2],
        LoggedAttempt("a/p", 1, {"n1": {"X": 1}, "n2": {"X": 2}}),
        steps[4],
        LoggedAttempt("a/r", 1, {"n1": {"X": 3}}),
        LoggedAttempt("a/r", 2, {"n1": {"X": 4}}),
        LoggedAttempt("a/p", 2, {}),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (TEXT.replace(" score=87", ""), "score is missing"),
        (TEXT.replace("score=87", "score=many"), "no whole number"),
        (TEXT.replace("shop/web", "web"), "namespace/name"),
        (as_json(pod=7), "namespace/name"),
        (as_json(node=""), "node is no name"),
        (as_json(score=1.5), "no whole number"),
        (as_json()[:-1], "no JSON"),
        (TEXT + "x" * 20_000, "characters"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(line, message):
    steps, problems = read(OTHER, TEXT, line)
    assert (steps, problems.count) == ([SCORED], 1)
    (problem,) = problems.first
    assert problem.line == 3
    assert message in problem.message


def test_whatever_comes_is_read_within_bounds():
    draw = Random(3)
    for _ in range(1_000):
        line = list(draw.choice((TEXT, as_json())))
        for _ in range(draw.randrange(6)):
            line[draw.randrange(len(line))] = chr(draw.randrange(0x2100))
        read("".join(line))
    _, many = read(*[TEXT.replace("score=87", "score=x")] * 200)
    assert (many.count, len(many.first)) == (200, MAX_PROBLEMS)
    assert many.first[0] == LogProblem(1, many.first[0].message)


@pytest.mark.parametrize("write", [lambda data: data, gzip.compress])
def test_a_file_is_read_line_by_line_gzipped_or_not(tmp_path, write):
    path = tmp_path / "scheduler.log"
    path.write_bytes(write(b"one\n" + b"x" * 3 * MAX_LINE + b"\ntwo\xff"))
    one, long, two = lines_of_file(path)
    assert (one, two) == ("one\n", "two\ufffd")
    assert MAX_LINE < len(long) < MAX_LINE + 10


@pytest.mark.parametrize("prefix", ["kube-scheduler-simulator.sigs.k8s.io", "scheduler-simulator"])
def test_annotations_of_the_simulator_are_read(prefix):
    scores = {"n1": {"NodeResourcesFit": "47", "TaintToleration": "300"}, "n2": {}}
    pod = make_pod("web", annotations={f"{prefix}/finalscore-result": json.dumps(scores)})
    real_scores = scores_in_annotations([pod, make_pod("other")])
    assert real_scores.of == {"default/web": {"n1": {"NodeResourcesFit": 47, "TaintToleration": 300}}}


@pytest.mark.parametrize("text", ["{", "[]", '{"n1": 4}', '{"n1": {"X": "many"}}', "9" * 5_000_000])
def test_annotations_that_cannot_be_read_are_told_by_pod(text):
    scores = scores_in_annotations([make_pod("web", annotations={"scheduler-simulator/finalscore-result": text})])
    assert scores.of == {}
    assert all(problem.message.startswith("default/web: finalscore-result: ") for problem in scores.problems.first)
    assert scores.problems.count == (text != "[]")
