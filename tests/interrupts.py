"""Processes that get Ctrl-C at a place that is the same each time: when they begin to import a module.

Ctrl-C reaches all that tests start: a shell lets commands in its background ignore it, and children inherit that.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
# Python imports a module of this name before anything else.
SITE = """
import os, sys, time

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), 2)
            time.sleep(10)

sys.meta_path.insert(0, Interrupt())
"""


def interrupted(folder: Path, arguments: list[str], module: str) -> subprocess.CompletedProcess[str]:
    """Return the end of a Python process with these words that was interrupted at the import of the module."""
    (folder / "sitecustomize.py").write_text(SITE)
    variables = os.environ | {"PYTHONPATH": str(folder), "INTERRUPTED_AT": module, "SCHEDSCOPE_DATA": str(folder)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=PATIENCE)


def pytest_configure() -> None:
    """End the ignoring, in each process of the session."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
