"""python -m tests.worst_inputs [--reader TEXT] [--most-bytes N]: the worst inputs of each reader, as a table.

Exits with 1 where one costs more than a web process may spend on it, unless the reader is one of those whose large
inputs are legitimate (docs/operation.md).
"""

from __future__ import annotations

import argparse
import os
import sys

MOST_SECONDS, MOST_MIB = 2.0, 300.0
LARGE = ("import", "archive", "repeated arrivals", "scheduler_perf", "timeline")
"""Readers of inputs that people have which cost more."""


def main() -> int:
    """Search, print the table, and return the status."""
    parser = argparse.ArgumentParser(prog="tests.worst_inputs", description=__doc__)
    parser.add_argument("--reader", default="", help="only readers with this text in their names")
    parser.add_argument("--most-bytes", type=int, default=4 << 20, help="of an input (default: 4 MiB)")
    parser.add_argument(
        "--approaches", type=int, default=3, help="inputs between the last accepted and the first refused"
    )
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    from tests.worst_inputs.readers import READERS
    from tests.worst_inputs.search import tried

    print("| reader | limits | worst input | bytes | CPU s | MiB | ends |\n| --- | --- | --- | --- | --- | --- | --- |")
    is_bad = False
    for reader in READERS:
        if options.reader not in reader.name:
            continue
        costs = list(tried(reader, options.most_bytes, options.approaches))
        worst = {max(costs, key=lambda one: one.cost.seconds), max(costs, key=lambda one: one.cost.mib)}
        for one in sorted(worst, key=lambda one: -one.cost.seconds):
            cost, name = one.cost, f"{one.n:,} {one.family}"
            row = f"{cost.n_bytes:,} | {cost.seconds:.2f} | {cost.mib:.0f} | {cost.outcome[:100].replace('|', '/')}"
            print(f"| {reader.name} | {reader.limits} | {name} | {row} |", flush=True)
            is_bad |= (cost.seconds > MOST_SECONDS or cost.mib > MOST_MIB) and reader.name not in LARGE
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
