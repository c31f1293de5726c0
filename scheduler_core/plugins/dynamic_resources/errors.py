"""What ends a search for devices: an error of the pod, or a refusal of the node in words of its own."""

from __future__ import annotations


class AllocationError(Exception):
    """Nothing can be allocated for the pod, on whatever node; the message is kube-scheduler's."""


class RefusalOnNode(Exception):
    """Nothing can be allocated on this node; the message is kube-scheduler's."""
