"""Builds the kernel where there is a C compiler: ``python -m scheduler_core.compiled.build``.

Without a compiler, or with one that fails, it says so and ends with success: Schedscope does the same without the
kernel, only slower. CC names another compiler.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

from scheduler_core.compiled import KERNEL, sources, sources_digest

# -fwrapv and -ffp-contract=off: integers wrap and floats round as numpy's do.
_FLAGS = ("-O3", "-shared", "-fPIC", "-fwrapv", "-ffp-contract=off", "-fvisibility=hidden", "-Wall")
_MACOS_FLAGS = ("-undefined", "dynamic_lookup")
_SECONDS = 300


def command(compiler: list[str], target: Path) -> list[str]:
    """The compiler's command line; the digest of the sources becomes part of the kernel."""
    return [
        *compiler,
        *_FLAGS,
        *(_MACOS_FLAGS if sys.platform == "darwin" else ()),
        f"-I{sysconfig.get_path('include')}",
        f'-DSOURCES="{sources_digest()}"',
        *(str(path) for path in sources() if path.suffix == ".c"),
        "-o",
        str(target),
    ]


def build() -> str:
    """Build the kernel; "" where that went well, otherwise why there is none."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        compiler = ["cc"]
    if shutil.which(compiler[0]) is None:
        return "there is no C compiler"
    # under another name first: a process may be reading the kernel that is there
    new = KERNEL.with_name(f"{KERNEL.name}.new{os.getpid()}")
    try:
        done = subprocess.run(
            command(compiler, new), capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
        )
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines() or ["without a word"]
            first = next((line for line in lines if "error" in line), lines[0])
            return f"the C compiler ended with {done.returncode}: {first}"
        new.replace(KERNEL)
    except (OSError, subprocess.SubprocessError) as error:
        return f"the kernel cannot be built: {error}"
    finally:
        new.unlink(missing_ok=True)
    return ""


def main() -> int:
    """Build and say what came of it."""
    problem = build()
    if problem:
        KERNEL.unlink(missing_ok=True)
        print(f"setup: {problem}; Schedscope runs without its compiled kernel, more slowly", file=sys.stderr)  # noqa: T201
    return 0


if __name__ == "__main__":
    # Ctrl-C ends the set-up without a traceback; what the compiler left behind has a name that nobody reads.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main())
