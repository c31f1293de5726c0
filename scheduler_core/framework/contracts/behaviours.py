"""Named behaviours of the reference: where versions of kube-scheduler 1.34 differ, which of them a run follows."""

from __future__ import annotations

import msgspec


class Behaviours(msgspec.Struct, frozen=True, kw_only=True):
    """Defaults are those of the newest patch release. A run's policies name the others (engine/policies.py).

    ``taint_is_named``: a refusal by a taint names it, "node(s) had untolerated taint {key: value}", as 1.34.0 and
    1.34.1 say; later releases say "node(s) had untolerated taint(s)" (kubernetes/kubernetes pull request 135023).
    """

    taint_is_named: bool = False
