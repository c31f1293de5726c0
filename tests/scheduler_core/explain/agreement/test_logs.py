"""Scores read from logs and annotations: both forms of a log, later attempts, and whatever else comes."""

from __future__ import annotations

import json
from random import Random

import pytest

from scheduler_core.explain.agreement.logs import MAX_PROBLEMS, scores_in_annotations, scores_in_log
from scheduler_core.testing.builders import make_pod

TEXT = (
    'I0711 10:00:00.000001       1 schedule_one.go:744] "Plugin scored node for pod" pod="shop/web" '
    'plugin="NodeResourcesFit" node="n1" score=87'
)
OTHER = (
    'I0711 10:00:00.000001       1 schedule_one.go:803] "Calculated node\'s final score for pod" pod="shop/web" score=9'
)


def as_json(**fields):
    line = {"ts": 1.5, "v": 10, "msg": "Plugin scored node for pod", "pod": {"name": "web", "namespace": "shop"}}
    return json.dumps({**line, "plugin": "NodeResourcesFit", "node": "n1", "score": 87, **fields})


def test_lines_of_text_and_of_json_say_the_same_and_others_are_passed_over():
    for line in (TEXT, as_json(), f"kube-scheduler-a {TEXT}"):
        scores = scores_in_log(f"{OTHER}\n{line}\nand more\n")
        assert scores.of == {"shop/web": {"n1": {"NodeResourcesFit": 87}}}
        assert (scores.n_scores, scores.n_problems, scores.cut) == (1, 0, False)


def test_the_last_attempt_of_a_pod_counts():
    lines = [TEXT, TEXT.replace("n1", "n2"), TEXT.replace("n1", "n3").replace("87", "5"), TEXT.replace("87", "90")]
    assert scores_in_log("\n".join(lines)).of == {"shop/web": {"n1": {"NodeResourcesFit": 90}}}


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
    scores = scores_in_log(f"{OTHER}\n{TEXT}\n{line}")
    assert scores.n_problems == 1
    assert scores.problems[0].line == 3
    assert message in scores.problems[0].message
    assert scores.n_scores == 1


def test_whatever_comes_is_read_within_bounds():
    draw = Random(3)
    for _ in range(1_000):
        line = list(draw.choice((TEXT, as_json())))
        for _ in range(draw.randrange(6)):
            line[draw.randrange(len(line))] = chr(draw.randrange(0x2100))
        scores_in_log("".join(line))
    many = scores_in_log("\n".join([TEXT.replace("score=87", "score=x")] * 200))
    assert (many.n_problems, len(many.problems)) == (200, MAX_PROBLEMS)


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
    assert all(problem.message.startswith("default/web: finalscore-result: ") for problem in scores.problems)
    assert scores.n_problems == (text != "[]")
