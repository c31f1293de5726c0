"""The compiled kernel: row operations of the kept matrices in C, where a compiler was there to build it.

Everything works without it, by numpy, and decides and records the same; tests hold the two together. ``kernel()`` is
asked at the time of use, so a process can switch it off: SCHEDSCOPE_KERNEL=off does so for good, ``without_kernel`` for
a while.
"""

from __future__ import annotations

import importlib
import logging
import os
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from scheduler_core.compiled.interface import Kernel

_log = logging.getLogger(__name__)
_HERE = Path(__file__).parent
KERNEL = _HERE / f"_kernel{sysconfig.get_config_var('EXT_SUFFIX')}"
"""Where the built kernel is."""


def sources() -> list[Path]:
    """The files that the kernel is built from."""
    return sorted((*_HERE.glob("*.c"), *_HERE.glob("*.h")))


def sources_digest() -> str:
    """Tells the sources of one kernel from those of another."""
    digest = sha256()
    for path in sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _load() -> Kernel | None:
    """The kernel if it was built from these sources; one that was, and cannot be used, is told of."""
    if os.environ.get("SCHEDSCOPE_KERNEL", "").lower() in ("off", "no", "0") or not KERNEL.exists():
        return None
    try:
        found = importlib.import_module("scheduler_core.compiled._kernel")
    except ImportError as error:
        _log.warning("the compiled kernel cannot be loaded (%s); going on without it, more slowly", error)
        return None
    if sources_digest() != found.SOURCES:
        _log.warning("the compiled kernel is of other sources and not used; `make setup` builds it anew")
        return None
    return cast("Kernel", found)


_kernel: Kernel | None = None
_is_looked_for = False


def kernel() -> Kernel | None:
    """The kernel, or None where numpy does its work."""
    global _kernel, _is_looked_for
    if not _is_looked_for:  # at first use: who builds it need not hear of the one before
        _kernel, _is_looked_for = _load(), True
    return _kernel


@contextmanager
def without_kernel() -> Iterator[None]:
    """Have numpy do the kernel's work for what begins meanwhile."""
    global _kernel
    held, _kernel = kernel(), None
    try:
        yield
    finally:
        _kernel = held
