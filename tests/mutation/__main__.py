"""``python -m tests.mutation [--table] [--sample N] [--seed S] [--only WORDS]``: do tests notice when code is wrong?

First each mutation of the table (``table.py``), then N of those that rules make (``generated.py``) in each of the
riskiest modules. Each is applied by itself to a copy of the working tree, and the tests that should notice are run
there. Prints one line for each and a summary; the exit status is 1 where one of the table survives.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from importlib.util import cache_from_source
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from scheduler_core.compiled import KERNEL
from tests.mutation.generated import mutants
from tests.mutation.table import CORE, DASHBOARD, TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
"""A mutation that makes the tests run on for so long counts as noticed."""

MODULES: dict[str, tuple[str, ...]] = {
    "scheduler_core/framework/preemption/candidate_cache.py": (CORE + "framework/preemption",),
    "scheduler_core/framework/incremental/score_cache.py": (
        CORE + "framework/incremental",
        CORE + "framework/runtime/test_score_phase.py",
        CORE + "recording/test_hashing.py",
        CORE + "recording/test_against_engine.py",
        "tests/conformance/test_recorded_decisions.py",
    ),
    "dashboard/runs/lifecycle/leases.py": (
        DASHBOARD + "runs/lifecycle",
        DASHBOARD + "runs/storage/test_batches.py",
        DASHBOARD + "runs/test_execution.py",
    ),
    "dashboard/accounts/access.py": (DASHBOARD + "accounts", DASHBOARD + "live"),
}
"""The riskiest modules: a stale cache, a run that two workers write, a page that a stranger sees."""


class Mutants:
    """A copy of the working tree in which one file at a time is another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
        for name in [*filter(None, names), *([str(KERNEL.relative_to(ROOT))] if KERNEL.exists() else [])]:
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)

    def is_noticed(self, path: str, text: str, tests: Sequence[str]) -> bool:
        """Whether a test fails while the file has this text."""
        file = self.folder / path
        original = file.read_text()
        self._write(file, text)
        try:
            return not self.pass_all(tests)
        finally:
            self._write(file, original)

    @staticmethod
    def _write(file: Path, text: str) -> None:
        """Write the text, and forget its bytecode: that of a text of the same length and second would pass for it."""
        file.write_text(text)
        Path(cache_from_source(str(file))).unlink(missing_ok=True)

    def pass_all(self, tests: Sequence[str]) -> bool:
        """Whether the tests, slow ones left out, pass. Raises RuntimeError where none was run."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-n0",
            "-p",
            "no:cacheprovider",
            "-m",
            "not slow",
            *tests,
        ]
        # Compiled once: without bytecode each run would compile Django and the project anew.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        if done.returncode in (4, 5):  # wrong words, no test
            raise RuntimeError(f"pytest ran no test of {tests}: {done.stdout.decode()[-500:]}")
        return done.returncode == 0


def main(argv: Sequence[str]) -> int:
    """Exit status 0 where all of the table were noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--table", action="store_true", help="those of the table only")
    parser.add_argument("--sample", type=int, default=20, help="so many by rule in each module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="those whose name or path has these words")
    options = parser.parse_args(argv)
    missed = False
    with tempfile.TemporaryDirectory(prefix="schedscope-mutation-") as folder:
        tree, score, passing = Mutants(Path(folder)), Counter[tuple[str, bool]](), set[tuple[str, ...]]()
        for group, name, path, text, tests in _chosen(options):
            if tests not in passing and not tree.pass_all(tests):
                print(f"{' '.join(tests)} fails without any mutation", file=sys.stderr)
                return 1
            passing.add(tests)
            began = time.monotonic()
            noticed = tree.is_noticed(path, text, tests)
            score[group, noticed] += 1
            missed |= group == "table" and not noticed
            print(f"{'noticed ' if noticed else 'SURVIVED'} {time.monotonic() - began:5.1f} s  {name}", flush=True)
    for group in dict.fromkeys(group for group, _ in score):
        n = score[group, True] + score[group, False]
        print(f"{score[group, True]} of {n} noticed: {group}")
    return int(missed)


def _chosen(options: argparse.Namespace) -> Iterator[tuple[str, str, str, str, tuple[str, ...]]]:
    """(group, name, path, text of the mutated file, tests)."""
    for each in TABLE:
        if options.only in each.name or options.only in each.path:
            text = (ROOT / each.path).read_text()
            yield "table", each.name, each.path, text.replace(each.old, each.new), each.tests
    for path, tests in MODULES.items():
        if options.table or options.only not in path:
            continue
        all_mutants = list(mutants((ROOT / path).read_text()))
        chosen = sorted(Random(options.seed).sample(range(len(all_mutants)), min(options.sample, len(all_mutants))))
        for line, change, text in (all_mutants[i] for i in chosen):
            yield path, f"{path}:{line} {change}", path, text, tests


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
