"""What an upgrade of Kubernetes changes: one cluster, configuration and load decided by two versions of kube-scheduler.

Both runs are made whole and compared. Each pod's first attempt that ends otherwise is then decided again on the state
that A's cycle found, by the rules of A, of B, and of A with single behaviours of B: the smallest set that decides as B
does is the cause. Where B's rules decide there as A's, the pod only follows from an earlier difference.
"""

from __future__ import annotations

from scheduler_core.compare.upgrade.model import PodUpgrade, UpgradeReport
from scheduler_core.compare.upgrade.report import upgrade_report

__all__ = ["PodUpgrade", "UpgradeReport", "upgrade_report"]
