"""The command line: ``python -m scheduler_core COMMAND ...``; each lives in cli/ and is imported when asked for."""

from __future__ import annotations

import importlib
import sys

COMMANDS = {
    "validate": "check cluster files or a scheduler configuration; one line per finding",
    "simulate": "run a cluster under a configuration and print what was decided",
    "conformance": "execute recorded scenarios: print the decisions, or what differs from the recorded ones",
}


def main(argv: list[str]) -> int:
    """The exit status of the command, 2 when there is no such command."""
    name = argv[0] if argv else ""
    if name in ("-h", "--help"):
        print(_usage())
        return 0
    if name not in COMMANDS:
        print(f"there is no command {name!r}\n\n{_usage()}" if name else _usage(), file=sys.stderr)
        return 2
    command = importlib.import_module(f"scheduler_core.cli.{name}")
    status: int = command.run(argv[1:])
    return status


def _usage() -> str:
    rows = "\n".join(f"  {name:<12} {what}" for name, what in COMMANDS.items())
    return f"usage: python -m scheduler_core COMMAND ...\n\n{rows}\n\nCOMMAND --help tells its options."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
