#!/usr/bin/env python
"""Django's command line for Schedscope."""

from __future__ import annotations

import os
import sys

# What people interrupt by Ctrl-C while it starts or works; a shell or a debugger keeps Python's KeyboardInterrupt.
OURS = {"serve", "migrate", "load_demo", "signin_link", "start_run", "compact_database", "backup", "restore"} | {
    f"{what}_{whom}" for what in ("export", "delete") for whom in ("workspace", "person")
}


def say_stopped(kind: type[BaseException], error: BaseException, _traceback: object) -> None:
    """Say one line of Ctrl-C instead of a traceback; Python then ends by the signal, 130 for a shell."""
    if issubclass(kind, KeyboardInterrupt):
        os.write(2, b"schedscope: stopped\n")
    else:
        sys.__excepthook__(kind, error, error.__traceback__)


def stop_quietly(number: int, _frame: object) -> None:
    """End by the signal, with a line and without a traceback: transactions are whole, and the lock is the kernel's."""
    os.write(2, b"schedscope: stopped\n")
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


# Before anything that takes time is imported, even `signal`; what Python itself does before this file is read ends as
# Python has it. `serve` has a handler of its own once it is ready.
if __name__ == "__main__" and OURS.intersection(sys.argv[1:2]):
    sys.excepthook = say_stopped
    import signal

    signal.signal(signal.SIGINT, stop_quietly)


def main() -> None:
    """Run one management command; a wrong set-up is reported in one line."""
    from dashboard.command import execute

    execute(sys.argv)


if __name__ == "__main__":
    main()
