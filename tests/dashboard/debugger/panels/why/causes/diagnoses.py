"""Diagnoses for tests of what pages make of them."""

from __future__ import annotations

from scheduler_core.explain.diagnosis.model import Diagnosis, EqualNodes, NodeList, Obstacle, ObstacleSet

PLUGINS = {"SHORT_CPU": "NodeResourcesFit", "TAINT_UNTOLERATED": "TaintToleration", "CORDONED": "NodeUnschedulable"}
REASONS = {
    "NodeResourcesFit": "Insufficient cpu",
    "TaintToleration": "node(s) had untolerated taint(s)",
    "NodeUnschedulable": "node(s) were unschedulable",
}


def obstacle(code, subject="", needs=None, nodes=(), text=""):
    text = text or f"{code.lower()} {subject}".strip()
    plugin = PLUGINS.get(code, "Other")
    return Obstacle(code=code, plugin=plugin, subject=subject, needs=needs or {}, nodes=NodeList.of(nodes), text=text)


def cause(*obstacles, opens=(), stage="filter", actor="workload", **more):
    said = "; and ".join(one.text for one in obstacles)
    text = more.pop("text", f"{said[:1].upper()}{said[1:]}. Nothing else keeps it off {', '.join(opens)}.")
    return ObstacleSet(
        codes=tuple(dict.fromkeys(one.code for one in obstacles)),
        obstacles=obstacles,
        opens=NodeList.of(opens),
        stage=stage,
        actor=actor,
        text=text,
        **more,
    )


def group(nodes, *obstacles, counted="", shared=""):
    counted = counted or obstacles[0].plugin
    return EqualNodes(
        nodes=tuple(nodes),
        obstacles=tuple(one.key for one in obstacles),
        texts=tuple(f"{one.text} here" for one in obstacles),
        counted=counted,
        plugins=tuple(sorted({one.plugin for one in obstacles})),
        reasons=(REASONS.get(counted, "refused"),),
        shared=shared,
    )


CPU = obstacle("SHORT_CPU", "cpu", text="too little cpu: it asks for 2")
TAINT = obstacle("TAINT_UNTOLERATED", "node-role.kubernetes.io/control-plane:NoSchedule")
CORDON = obstacle("CORDONED", "spec.unschedulable", text="cordoned: d")


def hidden():
    """Return one in which cpu is short everywhere, and hidden behind a taint and a cordon on two nodes."""
    groups = (
        group(["a", "b"], CPU),
        group(["c"], TAINT, CPU),
        group(["d"], CORDON, CPU, TAINT),
    )
    return Diagnosis(
        cause=cause(CPU, opens=("a", "b"), also=(cause(CPU, TAINT, opens=("c",)),)),
        groups=groups,
        obstacles=(CPU, TAINT, CORDON),
    )
