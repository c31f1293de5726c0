"""What a collection says of itself, in the bundle and in the state from which it is resumed."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

from scheduler_core.collect.fields.allowed import NameWriter, PlainNames
from scheduler_core.collect.fields.pseudonyms import Pseudonyms, new_key
from scheduler_core.collect.gaps import GapLedger
from scheduler_core.collect.journal import CollectionState
from scheduler_core.collect.preparing import HeldConfiguration
from scheduler_core.collect.recording import WatchTarget
from scheduler_core.collect.server.discovery import Rights, collected
from scheduler_core.manifests.bundle.model import BundleMeta, CollectedKind


class CollectionDescription:
    """What is known of a collection besides its lines. ``version``: the server's at the beginning, ``versions`` later
    ones with the moment of each; ``namespaces`` by their own names."""

    def __init__(self, ledger: GapLedger, began: float, namespaces: tuple[str, ...], *, pseudonyms: bool) -> None:
        self.ledger = ledger
        self.began = began
        self.namespaces = namespaces
        self.collection = str(uuid.uuid4())
        self.version = ""
        self.versions: list[tuple[float, str]] = []
        self.configuration = HeldConfiguration()
        self.targets: list[tuple[WatchTarget, Rights]] = []
        self._use_key(new_key() if pseudonyms else b"")

    def _use_key(self, key: bytes) -> None:
        self._key = key
        self.names: NameWriter = Pseudonyms(key) if key else PlainNames()

    @property
    def has_pseudonyms(self) -> bool:
        """Whether names leave as pseudonyms."""
        return bool(self._key)

    def take_over(self, state: CollectionState) -> None:
        """Go on as the collection of this state; its gaps are for the ledger's maker."""
        meta = state.meta
        self.began, self.collection, self.namespaces = meta.began, state.collection, state.namespaces
        self.version, self.versions = meta.server_version, list(meta.versions)
        self.configuration = HeldConfiguration(meta.configuration, meta.configuration_of)
        self._use_key(bytes.fromhex(state.key))

    def note_version(self, now: str, at: float) -> bool:
        """Note the server's version; whether it became another one."""
        last = self.versions[-1][1] if self.versions else self.version
        if not last:
            self.version = now
        if not now or not last or now == last:
            return False
        self.versions.append((at, now))
        return True

    def meta(self, ended: float | None = None) -> BundleMeta:
        """What the bundle says as of now."""
        return BundleMeta(
            collector=_program(),
            server_version=self.version,
            versions=tuple(self.versions),
            began=self.began,
            ended=ended,
            namespaces=tuple(self.names.name(one) for one in self.namespaces),
            kinds=_kinds(self.targets),
            gaps=self.ledger.gaps,
            pseudonyms=self.has_pseudonyms,
            configuration=self.configuration.text,
            configuration_of=self.configuration.of,
        )

    def state(self, ended: float | None = None) -> CollectionState:
        """What a resumed collection goes on from."""
        targets = [target for target, _ in self.targets]
        return CollectionState(
            collection=self.collection,
            key=self._key.hex(),
            versions={target.key: target.version for target in targets if target.version},
            listed=[target.key for target in targets if target.is_listed],
            namespaces=self.namespaces,
            meta=self.meta(ended),
        )


def _program() -> str:
    """The program with its version, where it was installed as a package."""
    try:
        return f"schedscope {version('schedscope')}"
    except PackageNotFoundError:
        return "schedscope"


def _kinds(targets: Iterable[tuple[WatchTarget, Rights]]) -> tuple[CollectedKind, ...]:
    """The kinds, each once with what was listed in all of its namespaces."""
    kinds: dict[str, CollectedKind] = {}
    for target, rights in targets:
        before = kinds.get(target.kind.kind)
        listed = target.n_listed + (before.listed if before is not None else 0)
        both = Rights(
            rights.can_list and (before is None or before.can_list),
            rights.can_watch and (before is None or before.can_watch),
        )
        kinds[target.kind.kind] = collected(target.kind, both, listed)
    return tuple(kinds.values())
