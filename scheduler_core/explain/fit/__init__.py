"""Would a pod fit: every node's verdict and scores for one pod, as in the first attempt of a run.

>>> session = FitSession(RunInputs(objects=result.objects))          # doctest: +SKIP
>>> fit = session.would_fit(pod)                                     # doctest: +SKIP
>>> fit.n_fits, fit.n_nodes                                          # doctest: +SKIP
(19, 1500)
"""

from __future__ import annotations

from scheduler_core.explain.fit.changes import ObjectChanges, changes_between, with_edits
from scheduler_core.explain.fit.model import Fit, FitPoints, NodeFit, RefusalGroup, SieveStep
from scheduler_core.explain.fit.session import FitSession, would_fit

__all__ = [
    "Fit",
    "FitPoints",
    "FitSession",
    "NodeFit",
    "ObjectChanges",
    "RefusalGroup",
    "SieveStep",
    "changes_between",
    "with_edits",
    "would_fit",
]
