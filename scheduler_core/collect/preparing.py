"""What there is to collect: the server's version, its kinds, the rights, the scheduler's configuration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from scheduler_core.collect.configuration import NoConfiguration, leaving_configuration, read_config_map
from scheduler_core.collect.fields.allowed import NameWriter
from scheduler_core.collect.gaps import GapLedger
from scheduler_core.collect.recording import WatchTarget
from scheduler_core.collect.server.discovery import (
    GROUPS,
    Rights,
    rights_of,
    served_kinds,
    server_version,
)
from scheduler_core.collect.server.requests import Away, Denied, Gone, NotServed, Refused, Requester
from scheduler_core.manifests.bundle.model import BundleGap, GapCode
from scheduler_core.manifests.cluster_dump.kubectl import OPTIONAL, RESOURCES


class NothingToCollect(Exception):
    """There is no server, or there are no rights; the text says which."""


class HeldConfiguration(NamedTuple):
    """The scheduler's configuration and where it was read; both "" without one."""

    text: str = ""
    of: str = ""


class Prepared(NamedTuple):
    """What is collected. ``refused``: (resource, why) of what may not be read."""

    version: str
    targets: list[tuple[WatchTarget, Rights]]
    refused: list[tuple[str, str]]


async def prepare(
    requester: Requester,
    ledger: GapLedger,
    namespaces: Sequence[str],
    names: NameWriter,
    *,
    at: float,
    patience: float,
) -> Prepared:
    """Ask the server what it has and allows; gaps go to the ledger. Raises NothingToCollect."""
    try:
        version = await server_version(requester, patience)
        served = await served_kinds(requester, patience)
        asked = [
            (kind, namespace)
            for kind in served.values()
            for namespace in (namespaces if kind.is_namespaced and namespaces else ("",))
        ]
        rights = await rights_of(requester, asked, patience)
    except Away as problem:
        raise NothingToCollect(f"the server does not answer: {problem}") from None
    except (Denied, NotServed, Gone, Refused) as problem:
        raise NothingToCollect(f"the server does not say what it serves: {problem}") from None
    for name in GROUPS:
        if name not in served and name not in OPTIONAL:
            text = f"the server does not know {RESOURCES[name]}"
            _add(ledger, BundleGap(code="NOT_SERVED", text=text, kind=name, since=at))
    targets: list[tuple[WatchTarget, Rights]] = []
    refused = []
    for (kind, namespace), one in zip(asked, rights, strict=True):
        target = WatchTarget(kind, namespace, names.name(namespace) if namespace else "")
        refusal = _refusal(target, one)
        if refusal is not None:
            code, text = refusal
            where = target.written_namespace
            _add(ledger, BundleGap(code=code, text=text, kind=kind.kind, namespace=where, since=at))
            refused.append((kind.resource, one.reason))
        if one.can_list and not one.is_failing:
            targets.append((target, one))
    if not targets:
        why = refused[0][1] if refused else "the server knows none of the kinds"
        raise NothingToCollect(f"nothing may be read: {why}. --role prints the rights that are needed")
    return Prepared(version, targets, refused)


def _refusal(target: WatchTarget, rights: Rights) -> tuple[GapCode, str] | None:
    """Code and sentence of the gap that the rights leave."""
    if rights.is_failing:
        return "LIST_FAILED", f"{target.words} could not be listed: the server fails"
    if not rights.can_list:
        return "NO_RIGHTS", f"{target.words} may not be listed"
    if not rights.can_watch:
        return "NO_RIGHTS", f"{target.words} may be listed and not watched: their changes are not collected"
    return None


def _add(ledger: GapLedger, gap: BundleGap) -> None:
    if not ledger.is_open(gap.code, gap.kind, gap.namespace):
        ledger.add(gap)


class Described(Protocol):
    """What a collection says of itself."""

    ledger: GapLedger
    names: NameWriter
    began: float
    configuration: HeldConfiguration


async def configuration(
    requester: Requester,
    about: Described,
    named: tuple[HeldConfiguration, tuple[str, str] | None],
    patience: float,
    say: Callable[[str], None],
) -> HeldConfiguration:
    """The configuration that was ``named`` (its text, or a ConfigMap's namespace and name), else the one that the
    collection had. Where there is none the default one is assumed, which is said and is a gap."""
    held = about.configuration
    if named[0].text or named[1] is not None:
        try:
            held = await _read(requester, about.names, *named, patience)
        except NoConfiguration as problem:
            say(f"the scheduler's configuration: {problem}")
            text = "the scheduler's configuration could not be read where it was named: the default one is assumed"
            about.ledger.add(BundleGap(code="OTHER", text=text, since=about.began))
    if held.text:
        about.ledger.end("NO_CONFIGURATION", "", about.began)
    elif not about.ledger.is_open("NO_CONFIGURATION", ""):
        text = "the scheduler's configuration is not in the bundle: the default one is assumed"
        about.ledger.add(BundleGap(code="NO_CONFIGURATION", text=text, since=about.began))
        say(f"{text}. --config FILE or --scheduler-config NAMESPACE/NAME adds it")
    return held


async def _read(
    requester: Requester,
    names: NameWriter,
    given: HeldConfiguration,
    config_map: tuple[str, str] | None,
    patience: float,
) -> HeldConfiguration:
    """The configuration that was given, or that of the ConfigMap. Raises NoConfiguration."""
    if config_map is not None:
        text = await read_config_map(requester, *config_map, patience)
        given = HeldConfiguration(text, f"ConfigMap {names.name(config_map[0])}/{names.name(config_map[1])}")
    try:
        return given._replace(text=leaving_configuration(given.text, names))
    except NoConfiguration as problem:
        raise NoConfiguration(f"{given.of}: {problem}") from None
