"""``python -m scheduler_core collect``: a live cluster over a time, as a bundle. It reads, and changes nothing.

Exit status: 0 the bundle is whole; 1 nothing could be collected; 2 a wrong command line; 3 written, with gaps.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scheduler_core.cli.common.inputs import read_source
from scheduler_core.cli.common.opening import BadInput
from scheduler_core.collect.collection import NOTHING, Collection, CollectPlan
from scheduler_core.collect.configuration import NoConfiguration, leaving_configuration
from scheduler_core.collect.dry_run import try_out
from scheduler_core.collect.fields.allowed import PlainNames
from scheduler_core.collect.journal import PARTIAL, DiskFull
from scheduler_core.collect.preparing import HeldConfiguration, NothingToCollect
from scheduler_core.collect.role import cluster_role, configuration_role
from scheduler_core.collect.sending.address import BadAddress, checked_address
from scheduler_core.collect.sending.following import NotFollowed
from scheduler_core.collect.server.connection import Connection, connection
from scheduler_core.collect.server.pace import DEFAULT_PACE, Pace
from scheduler_core.manifests.bundle.model import STATE
from scheduler_core.manifests.checking.names import name_problem, namespace_problem
from scheduler_core.manifests.configuration.holders import LIMITS
from scheduler_core.manifests.model import LoadError, printable
from scheduler_core.manifests.parsing.sources import read_text

TOKEN = "SCHEDSCOPE_TOKEN"
_DURATION = re.compile(r"(?=.)(?:(\d{1,5})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,8})s)?", re.ASCII)
_SECONDS = (86_400, 3_600, 60, 1)
_LONGEST_TOKEN = 4_096


def run(argv: list[str], way: Connection | None = None, pace: Pace = DEFAULT_PACE) -> int:
    """The exit status. ``way`` and ``pace``: another connection and other waits than the command's own."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.role:
        print(cluster_role(), end="")
        if options.scheduler_config is not None:
            print(f"---\n{configuration_role(*options.scheduler_config)}", end="")
        return 0
    try:
        plan = _plan(options)
    except (BadInput, BadAddress, NoConfiguration, LoadError) as problem:
        parser.error(str(problem))
    way = way or connection(options.kubeconfig, options.context, os.environ)
    try:
        if options.dry_run:
            return _try_out(plan, way, pace)
        return asyncio.run(_collected(plan, way, pace))
    except NothingToCollect as problem:
        say(f"nothing was collected: {problem}")
    except (LoadError, OSError, DiskFull) as problem:
        say(f"the collection has stopped: {problem}")
    finally:
        if plan.target is None:
            shutil.rmtree(plan.folder.parent)
    return NOTHING


def say(text: str) -> None:
    """Print a line to standard error; characters that a terminal would obey are escaped."""
    print(printable(text), file=sys.stderr, flush=True)


def _try_out(plan: CollectPlan, way: Connection, pace: Pace) -> int:
    for line in asyncio.run(try_out(plan, way, say, pace)).lines():
        print(printable(line))
    return 0


async def _collected(plan: CollectPlan, way: Connection, pace: Pace) -> int:
    """Collect; the first SIGINT or SIGTERM closes the bundle, a second one ends the program as it is."""
    collection = Collection(plan, way, say, pace)
    task = asyncio.create_task(collection.run())
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
        if collection.watches:
            say("closing the bundle")
            collection.stopping.set()
        else:
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        return await task
    except asyncio.CancelledError:
        raise NothingToCollect("it was stopped before") from None


# ---------------------------------------------------------------- the command line


def _plan(options: argparse.Namespace) -> CollectPlan:
    """What the options ask for. Raises BadInput, BadAddress, NoConfiguration and LoadError."""
    folder, target = _places(options)
    url = checked_address(options.follow) if options.follow else ""
    token = _token(options.token_file) if url else str
    if url:
        try:
            token()
        except NotFollowed as problem:
            raise BadInput(f"--follow: {problem}") from None
    if options.resume and (options.pseudonyms or options.namespace):
        raise BadInput("--resume: --pseudonyms and --namespace are those of the collection that is resumed")
    return CollectPlan(
        folder=folder,
        target=target,
        namespaces=tuple(dict.fromkeys(options.namespace)),
        seconds=options.seconds,
        resumes=bool(options.resume),
        pseudonyms=options.pseudonyms,
        given=_given(options.config),
        config_map=options.scheduler_config,
        url=url,
        token=token,
    )


def _given(path: Path | None) -> HeldConfiguration:
    """The configuration of a file. Raises BadInput and NoConfiguration, so that an hour is not collected without it."""
    if path is None:
        return HeldConfiguration()
    text = read_text(read_source(path), LIMITS)
    try:
        leaving_configuration(text, PlainNames())
    except NoConfiguration as problem:
        raise NoConfiguration(f"{path}: {problem}") from None
    return HeldConfiguration(text, path.name)


def _places(options: argparse.Namespace) -> tuple[Path, Path | None]:
    """The folder while it is collected, and the bundle, None where it is followed only. Raises BadInput."""
    if options.resume:
        target = Path(str(options.resume).removesuffix(PARTIAL))
        folder = target.with_name(target.name + PARTIAL)
        if options.out is not None:
            raise BadInput("--resume: the bundle keeps its name. Leave --out away")
        if not (folder / STATE).is_file():
            raise BadInput(f"--resume: {folder} is no collection that was begun")
        return folder, target
    if options.out is None and options.follow:
        return Path(tempfile.mkdtemp(prefix="schedscope-")) / "journal", None
    name = time.strftime("schedscope-%Y%m%d-%H%M%S.tar.gz", time.gmtime())
    target = options.out or Path(name)
    folder = target.with_name(target.name + PARTIAL)
    if not options.dry_run:
        if not target.name.endswith((".tar.gz", ".tgz")):
            raise BadInput(f"--out: {target} does not end in .tar.gz")
        if target.exists():
            raise BadInput(f"--out: {target} is there already. Choose another name")
        if folder.exists():
            raise BadInput(f"--out: {folder} is there already. --resume {target} goes on with it")
        if not target.parent.is_dir():
            raise BadInput(f"--out: there is no folder {target.parent}")
    return folder, target


def _token(path: Path | None) -> Callable[[], str]:
    """Gives the token of each request; that of a file is read each time, as it may rotate."""

    def read() -> str:
        if path is None:
            text, where = os.environ.get(TOKEN, ""), f"${TOKEN}"
        else:
            where = str(path)
            try:
                with path.open("rb") as file:
                    text = file.read(_LONGEST_TOKEN + 1).decode("ascii", "replace").strip()
            except OSError as problem:
                raise NotFollowed(f"{path} cannot be read: {problem.strerror or problem}") from None
        if not text:
            raise NotFollowed(f"there is no token in {where}. Make one in the workspace's settings")
        if len(text) > _LONGEST_TOKEN or not text.isascii() or not text.isprintable() or " " in text:
            raise NotFollowed(f"what is in {where} is no token")
        return text

    return read


def _seconds(text: str) -> float:
    """A duration such as 10m or 1h30m; 0 for the lists alone."""
    parts = _DURATION.fullmatch(text)
    if text != "0" and parts is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no duration. Write 10m, 1h30m or 45s; 0 for one moment")
    groups = parts.groups() if parts is not None else ()
    return float(sum(int(part or 0) * unit for part, unit in zip(groups, _SECONDS, strict=bool(groups))))


def _namespace(text: str) -> str:
    if problem := namespace_problem(text):
        raise argparse.ArgumentTypeError(problem)
    return text


def _config_map(text: str) -> tuple[str, str]:
    namespace, _, name = text.partition("/")
    if not name:
        raise argparse.ArgumentTypeError(f"{text!r} is no ConfigMap. Write NAMESPACE/NAME")
    if problem := namespace_problem(namespace) or name_problem(name):
        raise argparse.ArgumentTypeError(problem)
    return namespace, name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler_core collect", description=__doc__)
    parser.add_argument("--kubeconfig", default="", metavar="FILE", help="kubectl's own file otherwise")
    parser.add_argument("--context", default="", metavar="NAME", help="a context of the kubeconfig")
    parser.add_argument(
        "--namespace",
        type=_namespace,
        action="extend",
        nargs="+",
        default=[],
        metavar="N",
        help="only objects of these namespaces, and those without one",
    )
    parser.add_argument(
        "--for",
        dest="seconds",
        type=_seconds,
        metavar="TIME",
        help="how long to watch after all was listed (10m, 1h30m; 0: the lists alone); until Ctrl-C otherwise",
    )
    parser.add_argument("--out", type=Path, metavar="BUNDLE.tar.gz", help="named by the time otherwise")
    parser.add_argument("--resume", type=Path, metavar="BUNDLE", help="go on with a collection that was broken off")
    parser.add_argument("--dry-run", action="store_true", help="print what would be written, with its size")
    parser.add_argument(
        "--pseudonyms", action="store_true", help="other names in place of all names, the same everywhere"
    )
    parser.add_argument("--role", action="store_true", help="print the ClusterRole that is needed")
    of = parser.add_mutually_exclusive_group()
    of.add_argument("--config", type=Path, metavar="FILE", help="the scheduler's KubeSchedulerConfiguration")
    of.add_argument(
        "--scheduler-config", type=_config_map, metavar="NS/NAME", help="the ConfigMap that holds the configuration"
    )
    parser.add_argument(
        "--follow", default="", metavar="URL", help=f"send it to a workspace; the token is in ${TOKEN} or --token-file"
    )
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="a file with the token of --follow")
    return parser
