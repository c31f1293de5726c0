"""``python -m tests.fuzz.fuzz --cases 2000 --seed 1``: mutated inputs; what is accepted must run to its end, alike.

Each case is a cluster, and often a configuration and a timeline, with a few fields changed by mutations that know them.
The readers either refuse it with findings, or accept it; then it runs in all three settings, which must end and tell
one history. A case that fails is printed with its seed: ``--only SEED`` runs it again, with the exception.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections import Counter
from random import Random
from typing import Any, NamedTuple

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.cli.files.validate import check_configuration
from scheduler_core.manifests import ManifestSource, load_cluster
from scheduler_core.simulate import Policies, RunInputs, Timeline, TimelineError, default_schedule, timeline_from_raw
from tests.fuzz import bases, devices
from tests.fuzz.mutations import mutated
from tests.fuzz.settings import histories

MAX_VIRTUAL_US = 30 * 60 * 1_000_000
MAX_CYCLES = 400


class Case(NamedTuple):
    """What is read: raw values, as they stand in files."""

    cluster: list[dict[str, Any]]
    configuration: dict[str, Any] | None
    timeline: dict[str, Any] | None


class Outcome(NamedTuple):
    """``verdict``: refused, accepted, differs or crashed; ``words`` say why."""

    verdict: str
    reason: str


def made(seed: int, base: Any = bases) -> Case:
    """The case of a seed; ``base`` makes cluster and timeline."""
    random = Random(seed)
    cluster = base.cluster(random)
    configuration = bases.configuration(random) if random.random() < 0.5 else None
    timeline = base.timeline(random, cluster) if random.random() < 0.5 else None
    for _ in range(random.choice((1, 1, 2, 3))):
        what = random.random()
        if what < 0.15 and configuration:
            configuration = mutated(configuration, "KubeSchedulerConfiguration", random)
        elif what < 0.3 and timeline and timeline["entries"]:
            timeline = _with_timeline_changed(timeline, random)
        else:
            i = random.randrange(len(cluster))
            cluster[i] = mutated(cluster[i], cluster[i]["kind"], random)
    return Case(cluster, configuration, timeline)


def _with_timeline_changed(timeline: dict[str, Any], random: Random) -> dict[str, Any]:
    if random.random() < 0.5:
        return dict(mutated(timeline, "Timeline", random))
    entries = list(timeline["entries"])
    i = random.randrange(len(entries))
    entries[i] = {**entries[i], "object": mutated(entries[i]["object"], entries[i]["object"]["kind"], random)}
    return {"entries": entries}


def inputs_of(case: Case, seed: int, policies: Policies | None = None) -> RunInputs | str:
    """The inputs of a run, or why they are refused."""
    result = load_cluster(
        [ManifestSource("cluster.json", json.dumps({"kind": "List", "items": case.cluster}).encode())]
    )
    if result.errors:
        return result.errors[0].text()
    configuration = SchedulerConfiguration()
    if case.configuration:
        checked, findings = check_configuration(ManifestSource("config.json", json.dumps(case.configuration).encode()))
        errors = [f for f in findings if f.severity == "error"]
        if checked is None or errors:
            return errors[0].text()
        configuration = checked
    timeline = Timeline()
    if case.timeline:
        try:
            timeline = timeline_from_raw(case.timeline, [manifest.raw for manifest in result.manifests])
        except TimelineError as problem:
            return str(problem)
    return RunInputs(
        objects=result.objects,
        configuration=configuration,
        timeline=timeline,
        schedule="timeline" if timeline.entries else default_schedule(result.objects),
        policies=policies or Policies(),
        seed=seed,
        max_cycles=MAX_CYCLES,
        max_virtual_us=MAX_VIRTUAL_US,
    )


def judged(seed: int, *, with_devices: bool = False) -> Outcome:
    """What becomes of the case. Raises nothing but what the readers or the engine must never raise either."""
    policies = Policies(kubernetes=("1.34", "1.35", "1.36")[seed % 3], claims="play") if with_devices else Policies()
    inputs = inputs_of(made(seed, devices if with_devices else bases), seed, policies)
    if isinstance(inputs, str):
        return Outcome("refused", inputs)
    checked = histories(inputs)
    if len(set(checked.values())) > 1:
        return Outcome("differs", str(checked))
    return Outcome("accepted", next(iter(checked.values()))[1])


def main() -> int:
    """Figures to standard output; 1 where a case crashed or differed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1, help="the first seed; the others follow")
    parser.add_argument("--devices", action="store_true", help="clusters with devices and claims")
    parser.add_argument("--only", type=int, help="one case, with the exception")
    options = parser.parse_args()
    if options.only is not None:
        print(judged(options.only, with_devices=options.devices))
        return 0
    counts: Counter[str] = Counter()
    started = time.monotonic()
    for seed in range(options.seed, options.seed + options.cases):
        try:
            outcome = judged(seed, with_devices=options.devices)
        except Exception:  # whatever it is, it is what is looked for
            outcome = Outcome("crashed", traceback.format_exc().strip().splitlines()[-1])
        counts[outcome.verdict] += 1
        if outcome.verdict in ("differs", "crashed"):
            print(f"seed {seed}: {outcome.verdict}: {outcome.reason}", file=sys.stderr, flush=True)
    figures = ", ".join(f"{counts[name]} {name}" for name in ("accepted", "refused", "crashed", "differs"))
    print(f"{options.cases} cases from seed {options.seed}: {figures}; {time.monotonic() - started:.0f} s")
    return 1 if counts["crashed"] or counts["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
