"""A copy of the working tree in which one file at a time is another."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING

from scheduler_core.compiled import KERNEL

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
"""A mutation that makes the tests run on for so long counts as noticed."""


class CopiedTree:
    """The copy, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
        for name in [*filter(None, names), *([str(KERNEL.relative_to(ROOT))] if KERNEL.exists() else [])]:
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)

    def is_noticed(self, path: str, text: str, tests: Sequence[str], marks: str = "not slow") -> bool:
        """Whether a test fails while the file has this text."""
        file = self.folder / path
        original = file.read_text()
        self._write(file, text)
        try:
            return not self.pass_all(tests, marks)
        finally:
            self._write(file, original)

    @staticmethod
    def _write(file: Path, text: str) -> None:
        """Write the text, and forget its bytecode: that of a text of the same length and second would pass for it."""
        file.write_text(text)
        Path(cache_from_source(str(file))).unlink(missing_ok=True)

    def pass_all(self, tests: Sequence[str], marks: str = "not slow") -> bool:
        """Whether the tests that have these marks pass, and there are some."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", "-m", marks, *tests]
        # Compiled once: without bytecode each run would compile Django and the project again.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0
