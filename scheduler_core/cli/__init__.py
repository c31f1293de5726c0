"""The command line: one module per sub-command, each with ``run(argv) -> int``, in rooms by what they do."""
