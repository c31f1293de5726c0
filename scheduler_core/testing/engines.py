"""The settings of the engine that must decide the same.

``compiled`` takes the phases of a cycle from what changed, by the compiled kernel. ``without-kernel`` is what a machine
without one does: every plugin is asked about every node, and preemption caches candidates. ``plain`` caches nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from scheduler_core.compiled import kernel, without_kernel

COMPILED, WITHOUT_KERNEL, PLAIN = "compiled", "without-kernel", "plain"
ENGINES = (COMPILED, WITHOUT_KERNEL, PLAIN)


class NoKernelError(ValueError):
    """The compiled engine was asked for where no kernel was built, or the environment switches it off."""


@contextmanager
def engine(name: str | None) -> Iterator[bool]:
    """What is done meanwhile goes by that engine; gives whether it caches answers (``RunSession.start(cached=...)``).

    None: the one that runs take here, compiled where there is a kernel. Raises NoKernelError.
    """
    if name == COMPILED and kernel() is None:
        raise NoKernelError("the compiled kernel was not built here, or SCHEDSCOPE_KERNEL switches it off")
    with without_kernel() if name in (WITHOUT_KERNEL, PLAIN) else nullcontext():
        yield name != PLAIN
