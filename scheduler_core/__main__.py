"""The command line: ``python -m scheduler_core COMMAND ...``, installed ``schedscope COMMAND ...``.

Each command lives in cli/ and is imported when asked for. An installed distribution may add commands by entry points of
the group ``schedscope.commands``, as the web dashboard does with ``serve``.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from importlib.metadata import entry_points

COMMANDS = {
    "validate": ("files.validate", "check cluster files or a scheduler configuration; one line per finding"),
    "simulate": ("runs.simulate", "run a cluster under a configuration and print what was decided"),
    "why": ("answers.why", "run a cluster and say why a pod has no node, who took the room, what wakes it"),
    "explain-message": (
        "answers.explain_message",
        "say what a FailedScheduling message says, what it does not, and what to fetch next",
    ),
    "search": (
        "runs.search",
        "run a cluster and print the cycles, cells, moves, preemptions or events that a query is about",
    ),
    "compare": (
        "runs.compare",
        "run two clusters, or one in two ways: where they part and why, which pods end otherwise",
    ),
    "capacity": (
        "answers.capacity",
        "say which node group lets pods run, how many more fit, what a drain does, which nodes are not needed",
    ),
    "upgrade": ("answers.upgrade", "say what two versions of Kubernetes decide otherwise for a cluster, and why"),
    "agree": ("answers.agree", "say whether the engine agrees with the real scheduler about the pods of a dump"),
    "collect": ("live.collect", "collect a live cluster over a time as a bundle, or send it to a workspace"),
    "generate": ("files.generate", "write a synthetic cluster and the arrivals of its pods from a description"),
    "conformance": (
        "runs.conformance",
        "execute recorded scenarios: print the decisions, or what differs from the recorded ones",
    ),
}
"""Name of a command: its module within cli/, and what it does."""
ADDED_COMMANDS = "schedscope.commands"
"""The group of entry points to functions that take the arguments, the command's name first, and return the status."""


def main(argv: list[str]) -> int:
    """The exit status of the command, 2 when there is no such command."""
    name = argv[0] if argv else ""
    if name in ("-h", "--help"):
        print(_usage())
        return 0
    if name and name not in COMMANDS and (added := entry_points(group=ADDED_COMMANDS, name=name)):
        status: int = next(iter(added)).load()(argv)
        return status
    if name not in COMMANDS:
        print(f"there is no command {name!r}\n\n{_usage()}" if name else _usage(), file=sys.stderr)
        return 2
    command = importlib.import_module(f"scheduler_core.cli.{COMMANDS[name][0]}")
    status = command.run(argv[1:])
    return status


def _usage() -> str:
    rows = "\n".join(f"  {name:<16} {what}" for name, (_, what) in COMMANDS.items())
    added = ", ".join(sorted(entry_points(group=ADDED_COMMANDS).names))
    more = f"\n\nalso installed: {added}" if added else ""
    return f"usage: python -m scheduler_core COMMAND ...\n\n{rows}{more}\n\nCOMMAND --help lists its options."


def _say_stopped(kind: type[BaseException], error: BaseException, _traceback: object) -> None:
    """Print one line for Ctrl-C instead of a traceback; Python then ends by the signal, which shells report as 130."""
    if issubclass(kind, KeyboardInterrupt):
        os.write(2, b"stopped\n")
    else:
        sys.__excepthook__(kind, error, error.__traceback__)


def run_program() -> None:
    """Run the command of the program's arguments and end with its status."""
    # Nothing imported so far takes time: what is interrupted before ends as Python has it.
    sys.excepthook = _say_stopped
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        # As other programs end whose reader went away (``... | head``); Python would raise BrokenPipeError.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run_program()
