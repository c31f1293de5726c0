"""Which version of Kubernetes a command follows: as an option says, else as the files do; never chosen silently."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import msgspec

from scheduler_core.cli.common.opening import BadInput
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.engine.policies import Policies
from scheduler_core.manifests import LoadResult
from scheduler_core.manifests.model import printable
from scheduler_core.versions.detecting import detect, followed
from scheduler_core.versions.gates import GateError, gates_text, read_gates
from scheduler_core.versions.trains import NAMES, VersionError, find_train

_BEFORE = ("kubernetes", "taint_message")
"""Policies that say themselves what is followed: with the second one runs name no version."""


class WrongOption(BadInput):
    """An option that cannot be followed, as the files show: a wrong command line."""


def add_version_arguments(parser: argparse.ArgumentParser, nargs: str | None = None) -> None:
    """The version and its feature gates; ``nargs`` as argparse has it."""
    parser.add_argument(
        "--kubernetes",
        type=_version,
        nargs=nargs,
        metavar="VERSION",
        help=f"follow this kube-scheduler: {', '.join(NAMES)}, or a patch as 1.34.1; default: what the cluster runs",
    )
    parser.add_argument(
        "--feature-gates",
        type=_gates,
        nargs=nargs,
        metavar="NAME=true,...",
        help="feature gates that are not as usual in that version, as kube-scheduler takes them",
    )


def policies_followed(
    options: argparse.Namespace, result: LoadResult, policies: Policies, texts: Sequence[str], server: str = ""
) -> Policies:
    """Policies of a preset, then as the options and the ``texts`` of --policy say, then as the cluster does.

    ``server`` is what its API server said. Raises BadInput.
    """
    texts = [*texts, *(["other_schedulers=bound"] if options.others_bound else [])]
    named = {text.partition("=")[0] for text in texts}
    if not policies.kubernetes and not named.intersection(_BEFORE):
        cluster = detect(result.objects.pods, result.unplayed.versions, server)
        # What is said of a collected cluster names its patch.
        version = server.removeprefix("v") if cluster.source == "server" else cluster.train
        policies = msgspec.structs.replace(policies, kubernetes=version)
    try:
        policies = policies.with_texts(texts)
    except ValueError as problem:
        raise BadInput(f"--policy: {problem}") from problem
    if options.kubernetes is not None:
        policies = msgspec.structs.replace(policies, kubernetes=options.kubernetes)
    if options.feature_gates is not None:
        policies = msgspec.structs.replace(policies, gates=options.feature_gates)
    try:
        policies.behaviours  # noqa: B018 - raises
    except (VersionError, GateError) as problem:
        raise WrongOption(f"--feature-gates: {problem}" if options.feature_gates else str(problem)) from problem
    return policies


def say_version(options: argparse.Namespace, *several: RunInputs) -> None:
    """Print on standard error which version is followed, with its evidence, and what it was taken from; once for equal
    inputs."""
    for text in dict.fromkeys(version_text(options, inputs) for inputs in several):
        print(printable(text), file=sys.stderr)


def version_text(options: argparse.Namespace, inputs: RunInputs) -> str:
    """What is followed in a line, with what it was taken from where nobody named it."""
    cluster = detect(inputs.objects.pods, inputs.unplayed.versions)
    version = inputs.policies.kubernetes
    if options.kubernetes is None and version == cluster.train:
        return cluster.text
    gates = f", with {inputs.policies.gates}" if inputs.policies.gates else ""
    runs = "" if cluster.source == "nothing" else f"; {cluster.origin}"
    return f"{followed(version)}{gates}{runs}"


def _version(text: str) -> str:
    try:
        find_train(text)
    except VersionError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from problem
    return text.strip()


def _gates(text: str) -> str:
    try:
        return gates_text(read_gates(text))
    except GateError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from problem
