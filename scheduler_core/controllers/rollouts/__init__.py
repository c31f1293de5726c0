"""The controllers as recorded of Kubernetes 1.34: rollouts, scale-downs and failures. Decisions only, as above.

``pods_seen.py`` has what a controller sees of a pod; ``deployments.py`` (with ``progress.py`` and ``shares.py``),
``replica_sets.py``, ``stateful_sets.py``, ``daemon_sets.py`` and ``played_jobs.py`` decide; ``budgets.py`` has what the
status of a PodDisruptionBudget says.
"""
