"""All properties on many clusters, and a summary: python -m tests.scheduler_core.explain.diagnosis.figures --help."""

from __future__ import annotations

import argparse
from time import perf_counter

from tests.scheduler_core.explain.diagnosis.one_cluster import Figures


def main() -> None:
    """Print the figures; the exit status is 1 where something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--clusters", type=int, default=1000, help="how many (1000)")
    parser.add_argument("--shown", type=int, default=3, help="violations of each rule that are printed (3)")
    asked = parser.parse_args()
    figures, started = Figures(), perf_counter()
    for seed in range(asked.first, asked.first + asked.clusters):
        figures.add(seed)
    print("\n".join(figures.lines(asked.shown)))
    print(f"\n{1000 * (perf_counter() - started) / asked.clusters:.0f} ms a cluster")
    raise SystemExit(1 if figures.violated else 0)


if __name__ == "__main__":
    main()
