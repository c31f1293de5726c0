"""``python -m tests.fuzz.forms --cases 1000 --seed 1``: mutated files of all forms, each read or refused.

A case is the example of a form with a few of its bytes taken away, doubled, changed, cut off or replaced by what
readers look for. The loader and the masking never raise but LoadError, whatever they are given.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from random import Random
from typing import NamedTuple

from scheduler_core.manifests import Limits, ManifestSource, load_cluster, masked_source, read_config
from scheduler_core.manifests.model import LoadError
from tests.scheduler_core.manifests.forms.examples import EXAMPLES, IN_YAML

LIMITS = Limits(max_bytes=1 << 20, max_objects=500, max_pods_expanded=500)
_PIECES = (
    *(
        b'"',
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b",",
        b"\n",
        b"\n---\n",
        b"\0",
        b"\xff",
        b"\xe2\x82",
        b"\\u12",
        b"\\",
        b" " * 40,
    ),
    *(b"null", b"true", b"-", b"1e999", b"99999999999999999999", b"NaN", b"[]", b"{}", b'"object"', b'"type": "ADDED"'),
    *(b"==== START logs for container c of pod a/b ====\n", b"==== END logs for container c of pod a/b ====\n"),
    *(b"\xc1", b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xd4\x01x", b"pod/", b"\t"),
)


class Case(NamedTuple):
    """The file that is read, and the form that it was."""

    form: str
    source: ManifestSource


def made(seed: int) -> Case:
    """The case of a seed; forms come one after the other."""
    random = Random(seed)
    examples = [*EXAMPLES.items(), *((name, ("a.yaml", data)) for name, data in IN_YAML.items())]
    form, (file, data) = examples[seed % len(examples)]
    for _ in range(random.choice((1, 1, 2, 4))):
        data = mutated(data, random)
    return Case(form, ManifestSource(file, data))


def mutated(data: bytes, random: Random) -> bytes:
    """The data with one change."""
    at = random.randrange(len(data) + 1)
    end = min(len(data), at + random.choice((1, 1, 2, 8, 40)))
    change = random.randrange(6)
    if change == 0:
        return data[:at]
    if change == 1:
        return data[:at] + data[end:]
    if change == 2:
        return data[:end] + data[at:]
    if change == 3:
        return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
    return data[:at] + random.choice(_PIECES) + data[at if change == 4 else end :]


def judged(seed: int) -> str:
    """What becomes of the case: accepted or refused. Raises what readers must never raise."""
    source = made(seed).source
    result = load_cluster([source], LIMITS)
    for finding in result.findings:
        assert finding.text().isprintable()
    read_config(source)
    try:
        masked = masked_source(source, LIMITS)
    except LoadError:
        assert result.errors, "masking refuses what reading takes"
        return "refused"
    again = load_cluster([masked.parsed or masked.source], LIMITS)
    if result.errors:
        return "refused"
    assert [one.name for one in again.manifests] == [one.name for one in result.manifests]
    assert again.unplayed.gaps == result.unplayed.gaps
    return "accepted"


def main() -> int:
    """Figures to standard output; 1 where a case crashed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.forms", description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1, help="the first seed; the others follow")
    parser.add_argument("--only", type=int, help="one case, with the exception")
    options = parser.parse_args()
    if options.only is not None:
        print(made(options.only))
        print(judged(options.only))
        return 0
    counts: Counter[str] = Counter()
    started = time.monotonic()
    for seed in range(options.seed, options.seed + options.cases):
        try:
            outcome = judged(seed)
        except Exception:  # whatever it is, it is what is looked for
            outcome = "crashed"
            why = traceback.format_exc().strip().splitlines()[-1]
            print(f"seed {seed}: {made(seed).form}: {why}", file=sys.stderr, flush=True)
        counts[outcome] += 1
    figures = ", ".join(f"{counts[name]} {name}" for name in ("accepted", "refused", "crashed"))
    print(f"{options.cases} cases from seed {options.seed}: {figures}; {time.monotonic() - started:.0f} s")
    return 1 if counts["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main())
