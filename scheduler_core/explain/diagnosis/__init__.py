"""What keeps a pod off nodes, and which smallest set of it is the cause (docs/diagnosis.md says what each code is).

For one pod on one state, an obstacle is one typed fact that keeps it off a node: finer than a plugin (two taints are
two), and of every plugin that would refuse, not only of the first one in kube-scheduler's order. The cause is a
smallest set of obstacles that opens a node. Example: ctl has {taint, selector}, w1 and w2 have {selector}; the cause is
the selector, which opens w1 and w2, though the message counts ctl under the taint.

>>> answer = diagnose(trials, "shop/web-4")                           # doctest: +SKIP
>>> answer.cause.codes, answer.cause.opens.count                      # doctest: +SKIP
(('SELECTOR_NO_MATCH',), 2)
"""

from __future__ import annotations

from scheduler_core.explain.diagnosis.diagnose import diagnose, diagnose_trial
from scheduler_core.explain.diagnosis.model import (
    Diagnosis,
    EqualNodes,
    NodeList,
    Obstacle,
    ObstacleKey,
    ObstacleSet,
    PlacementAnswer,
    readings,
)
from scheduler_core.explain.doubt import AnswerDoubt

__all__ = [
    "AnswerDoubt",
    "Diagnosis",
    "EqualNodes",
    "NodeList",
    "Obstacle",
    "ObstacleKey",
    "ObstacleSet",
    "PlacementAnswer",
    "diagnose",
    "diagnose_trial",
    "readings",
]
