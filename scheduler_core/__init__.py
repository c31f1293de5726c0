"""The kube-scheduler v1.34 decision core, re-implemented on columns and open to the eye. Needs no Django."""

from __future__ import annotations

ENGINE_VERSION = "kube-scheduler 1.34 / 6"
"""What is followed, and the number of our own changes of behaviour: recordings of one version can be compared."""
