"""The compiled kernel: row operations of the cached matrices in C, built by ``build.py`` when Schedscope is set up.

Without it runs take the plain engine, which decides and records the same; tests compare the two. ``kernel()`` is asked
at the time of use, so a process can switch it off: SCHEDSCOPE_KERNEL=off does so for good, ``without_kernel`` for a
while. SCHEDSCOPE_KERNEL may also name the file of another build of the same sources.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import logging
import os
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from scheduler_core.compiled.interface import Kernel

_log = logging.getLogger(__name__)
_HERE = Path(__file__).parent
KERNEL = _HERE / f"_kernel{sysconfig.get_config_var('EXT_SUFFIX')}"
"""Where the built kernel is."""


def sources() -> list[Path]:
    """The files that the kernel is built from."""
    return sorted((*_HERE.glob("*.c"), *_HERE.glob("*.h"), _HERE / "arguments.py", _HERE / "interface.py"))


def sources_digest() -> str:
    """Tells the sources of one kernel from those of another."""
    digest = sha256()
    for path in sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _load() -> Kernel | None:
    """The kernel if it was built from these sources; a file that cannot be used is warned of."""
    choice = os.environ.get("SCHEDSCOPE_KERNEL", "")
    path = Path(choice) if os.sep in choice else KERNEL
    if choice.lower() in ("off", "no", "0") or not path.exists():
        return None
    try:
        module = load(path)
    except ImportError as error:
        _log.warning("the compiled kernel cannot be loaded (%s); going on without it, more slowly", error)
        return None
    if sources_digest() != module.SOURCES:
        _log.warning("the compiled kernel was built from other sources and is not used; `make setup` builds it again")
        return None
    return cast("Kernel", module)


def load(path: Path) -> Any:
    """The module that a built file holds. Raises ImportError."""
    name = "scheduler_core.compiled._kernel"
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None  # a loader was given
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


_kernel: Kernel | None = None
_is_looked_for = False


def kernel() -> Kernel | None:
    """The kernel, or None where numpy does its work."""
    global _kernel, _is_looked_for
    if not _is_looked_for:  # at first use: who builds it need not hear of the one before
        _kernel, _is_looked_for = _load(), True
    return _kernel


def needed_kernel() -> Kernel:
    """The kernel, for what is only chosen where there is one. Raises RuntimeError."""
    compiled = kernel()
    if compiled is None:
        raise RuntimeError("this part of the engine needs the compiled kernel")
    return compiled


@contextmanager
def without_kernel() -> Iterator[None]:
    """Have runs that begin meanwhile take the plain engine, and numpy do the rest of the kernel's work."""
    global _kernel
    held, _kernel = kernel(), None
    try:
        yield
    finally:
        _kernel = held
