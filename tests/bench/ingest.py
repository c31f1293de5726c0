"""How long a large cluster takes to get in (python -m tests.bench.ingest [--nodes N] [--form json|kubectl|yaml]).

The files are made from a seed in a temporary folder (tests.bench.ingest_files). Each figure is of a fresh process:
``load`` files to ClusterObjects, ``start`` the same and the engine's columns after it (RunSession.start), ``product``
the dashboard's way: an upload is read and judged, saved in an SQLite database, and read back as a run does.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from scheduler_core.manifests import LoadResult, ManifestSource, load_cluster
from scheduler_core.simulate import RunInputs, RunSession
from tests.bench.ingest_files import Files, write_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PODS_PER_NODE = 10
SHARES = {"json": 1, "kubectl": 2, "yaml": 10}
"""By what the number of nodes is divided for a form. Indented text of all 5,000 is beyond the limit of an import, and
YAML takes as long per object whatever their number."""


class Clock:
    """CPU and wall seconds of parts of a process."""

    def __init__(self) -> None:
        self.figures: dict[str, float] = {}

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        """What the work returns; its seconds are noted under the name."""
        cpu, wall = time.process_time(), time.perf_counter()
        result = work()
        self.figures[f"{name}_cpu_s"] = round(time.process_time() - cpu, 2)
        self.figures[f"{name}_wall_s"] = round(time.perf_counter() - wall, 2)
        return result


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """A line per form of the files; ``cycles`` means nothing here. Raises ValueError where objects are missing."""
    for form, share in SHARES.items():
        yield line(form, nodes // share)


def line(form: str, n_nodes: int) -> dict[str, Any]:
    """The figures of a cluster of so many nodes, written in a form. Raises ValueError where objects are missing."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = write_files(folder, n_nodes, PODS_PER_NODE * n_nodes, form)
        measured: dict[str, Any] = {
            "workload": f"ingest-{form}",
            "nodes": files.nodes,
            "pods": files.pods,
            "megabytes": sum(path.stat().st_size for path in files.paths) >> 20,
        }
        for part in ("load", "start", "product-import", "product-start"):
            measured |= {f"{part}_{key}": value for key, value in _apart(part, files, folder).items()}
        return measured


def _apart(part: str, files: Files, folder: Path) -> dict[str, Any]:
    """The figures of a part, measured in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.ingest", "--part", part, *map(str, files.paths)]
    environment = {**os.environ, "SCHEDSCOPE_DATA": str(folder / "var"), "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    counted = figures.pop("counted")
    if counted != [files.nodes, files.pods]:
        raise ValueError(f"{part}: {counted} nodes and pods were read, there are {[files.nodes, files.pods]}")
    return figures


def measure(part: str, paths: list[Path]) -> dict[str, Any]:
    """The figures of a part in this process, and how many nodes and pods it got."""
    clock = Clock()
    loaded = {
        "load": _load,
        "start": _start,
        "product-import": _product_import,
        "product-start": _product_start,
    }[part](paths, clock)
    if loaded.errors:
        raise ValueError(loaded.errors[0].text())
    return {
        **clock.figures,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "counted": [len(loaded.objects.nodes), len(loaded.objects.pods)],
    }


def _load(paths: list[Path], clock: Clock) -> LoadResult:
    result: LoadResult = clock.time(
        "all", lambda: load_cluster([ManifestSource(p.name, p.read_bytes()) for p in paths])
    )
    return result


def _start(paths: list[Path], clock: Clock) -> LoadResult:
    loaded = _load(paths, Clock())
    clock.time("columns", lambda: RunSession.start(RunInputs(objects=loaded.objects)))
    return loaded


def _product_import(paths: list[Path], clock: Clock) -> LoadResult:
    """An empty installation, an upload, its preview, and the new cluster."""
    import django

    django.setup()
    from django.core.management import call_command

    from dashboard.accounts import actions
    from dashboard.accounts.models import Member, User
    from dashboard.clusters.importing import actions as imports
    from dashboard.clusters.importing import saving
    from dashboard.clusters.revisions.contents import read_contents
    from dashboard.clusters.uploads.opening import Upload

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("bench@example.org", "Bench", "a long enough password")
    actions.create_workspace(user, "Bench", "bench")
    member = Member.objects.select_related("workspace", "user").get(user=user, workspace__slug="bench")
    uploads = [Upload(path.name, path.read_bytes()) for path in paths]
    draft = clock.time("preview", lambda: imports.new_draft(member, uploads))
    uploads.clear()  # the request that sent them is over
    revision = clock.time("save", lambda: saving.save(member, draft, saving.ImportTarget(None, "Measured")))
    return read_contents(revision).loaded


def _product_start(paths: list[Path], clock: Clock) -> LoadResult:
    """What a worker does that runs the cluster just saved."""
    import django

    django.setup()
    from dashboard.clusters.models import Revision
    from dashboard.clusters.revisions.contents import read_contents

    revision = Revision.objects.select_related("cluster").get(cluster__name="Measured")
    loaded: LoadResult = clock.time("read", lambda: read_contents(revision).loaded)
    clock.time("columns", lambda: RunSession.start(RunInputs(objects=loaded.objects)))
    return loaded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--form", choices=tuple(SHARES), help="default: all, the slower ones with fewer nodes")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("paths", nargs="*", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(json.dumps(measure(options.part, options.paths)))
        return
    measured = [line(options.form, options.nodes)] if options.form else lines(options.nodes, 0)
    for one in measured:
        print(json.dumps(one), flush=True)


if __name__ == "__main__":
    main()
