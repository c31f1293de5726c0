"""A collection from its beginning to the closed bundle."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from scheduler_core.collect.description import CollectionDescription
from scheduler_core.collect.gaps import GapLedger
from scheduler_core.collect.journal import CollectionState, DiskFull, Journal
from scheduler_core.collect.listing import PAGE
from scheduler_core.collect.packing import pack
from scheduler_core.collect.preparing import HeldConfiguration, NothingToCollect, Prepared, configuration, prepare
from scheduler_core.collect.recording import EVENT, ChangeRecorder
from scheduler_core.collect.resuming import learn_names, restore, unlisted
from scheduler_core.collect.room import DiskRoom
from scheduler_core.collect.sending.following import NotFollowed, PieceSender
from scheduler_core.collect.server.connection import Connection, NoServer
from scheduler_core.collect.server.discovery import server_version
from scheduler_core.collect.server.pace import DEFAULT_PACE, Pace
from scheduler_core.collect.server.requests import Away, Requester
from scheduler_core.collect.watching import KindWatch, WatchShared, may_stream
from scheduler_core.manifests.bundle.model import CHANGES, EVENTS, OBJECTS, STATE, BundleGap

WHOLE, NOTHING, WITH_GAPS = 0, 1, 3
"""Exit statuses."""


class CollectPlan(NamedTuple):
    """What is asked for. ``seconds``: how long to watch after all was listed, None until it is stopped, 0 for the lists
    alone. ``target``: the bundle, None where it is followed only. ``given`` and ``config_map`` (namespace and name):
    the scheduler's configuration. ``url`` and ``token``: where it is followed."""

    folder: Path
    target: Path | None
    namespaces: tuple[str, ...] = ()
    seconds: float | None = None
    resumes: bool = False
    pseudonyms: bool = False
    given: HeldConfiguration = HeldConfiguration()
    config_map: tuple[str, str] | None = None
    url: str = ""
    token: Callable[[], str] = str
    page: int = PAGE


class Collection:
    """Collects by a plan over a connection. ``say`` prints a line; ``clock`` gives seconds since 1970."""

    def __init__(
        self,
        plan: CollectPlan,
        way: Connection,
        say: Callable[[str], None],
        pace: Pace = DEFAULT_PACE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.stopping = asyncio.Event()
        self.journal = Journal(plan.folder)
        self.ledger = GapLedger()
        self.watches: list[KindWatch] = []
        self._plan = plan
        self._way = way
        self._say = say
        self._pace = pace
        self._clock = clock
        self._opened = clock()
        self._about = CollectionDescription(self.ledger, self._opened, plan.namespaces, pseudonyms=plan.pseudonyms)
        self._lost_follower = False
        self._follower: PieceSender | None = None

    async def run(self) -> int:
        """Collect until it is over; the exit status. Raises NothingToCollect, LoadError and OSError of the journal."""
        earlier = self._earlier()
        self.requester = Requester(self._way, self._pace, self.ledger, self._clock)
        try:
            await self._way.start()
            prepared = await prepare(
                self.requester,
                self.ledger,
                self._about.namespaces,
                self._about.names,
                at=self._clock(),
                patience=self._pace.start,
            )
            self._about.configuration = await configuration(
                self.requester, self._about, (self._plan.given, self._plan.config_map), self._pace.start, self._say
            )
            self._use(prepared, earlier)
            return await self._collect(earlier)
        except NoServer as problem:
            raise NothingToCollect(str(problem)) from None
        finally:
            await self._way.close()
            self.journal.close()

    # ------------------------------------------------------------ beginning

    def _earlier(self) -> CollectionState | None:
        """The state of the collection that is resumed."""
        if not self._plan.resumes:
            return None
        state = self.journal.state()
        cut = self.journal.reopen()
        meta = state.meta
        now = self._clock()
        self.ledger = GapLedger(meta.gaps)
        stopped = (self.journal.folder / STATE).stat().st_mtime
        text = "the collection was stopped, and resumed: what came and went between may not be known"
        # Where nothing was listed whole, what is listed now counts as there from the beginning.
        since = min(stopped, now) if state.listed else meta.began
        self.ledger.add(BundleGap(code="STOPPED", text=text, since=since, until=now))
        for name in cut:
            text = f"the last line of {name} was cut off and removed; what it had is read again"
            self.ledger.add(BundleGap(code="CUT", text=text, since=min(stopped, now), until=now))
        self._about.ledger = self.ledger
        self._about.take_over(state)
        return state

    def _use(self, prepared: Prepared, earlier: CollectionState | None) -> None:
        """Take the kinds and rights, and what an earlier collection had seen of them."""
        self._about.targets = prepared.targets
        self._about.note_version(prepared.version, self._clock())
        for resource, why in prepared.refused:
            self._say(f"{resource}: {why}")
        self._say(
            f"the server is {prepared.version or 'of an unknown version'}; {len(prepared.targets)} lists are read"
        )
        if earlier is None:
            self.journal.create()
        else:
            targets = [target for target, _ in self._about.targets]
            restore(self.journal, earlier, targets)
            for gap in unlisted(targets, earlier):
                self.ledger.add(gap)

    # ------------------------------------------------------------ collecting

    async def _collect(self, earlier: CollectionState | None) -> int:
        recorder = ChangeRecorder(self.journal, self._about.names, self._clock)
        self._room = DiskRoom(self.journal.folder, self.ledger, recorder, self._pace)
        # Whatever ends the process from here on, there is a state to go on from.
        await self._sync()
        shared = WatchShared(self.requester, recorder, self.ledger, self._room, self._pace, self._plan.page)
        shared.streams_lists = may_stream(self._about.version)
        self.watches = [
            KindWatch(target, shared, can_watch=rights.can_watch and self._plan.seconds != 0)
            for target, rights in self._about.targets
        ]
        if earlier is not None and self._about.has_pseudonyms:
            await learn_names(recorder, self.requester, [target for target, _ in self._about.targets], self._plan.page)
        if self._plan.url:
            self._follower = self._new_follower(earlier is not None)
        await self._run_tasks()
        return await self._close()

    def _new_follower(self, resumes: bool) -> PieceSender:
        plan = self._plan
        follower = PieceSender(
            plan.url,
            plan.token,
            self.journal,
            self._about.collection,
            self._about.meta,
            is_listed=self._is_listed,
            pace=self._pace,
            keeps=plan.target is not None,
        )
        if resumes:
            follower.resume()
        return follower

    async def _run_tasks(self) -> None:
        """Run watches, writes to the disk and the follower until one of them breaks or the collection is stopped."""
        others = [self._until_over(), self._keep_synced(), self._look_at_version()]
        if self._follower is not None:
            others.append(self._follow(self._follower))
        first = [watch.run() for watch in self.watches if watch.target.kind.kind != EVENT]
        tasks = [asyncio.create_task(one) for one in (*first, self._then_events(), *others)]
        over = asyncio.create_task(self._until_stopped())
        waiting: set[asyncio.Task[None]] = set(tasks)
        try:
            while not over.done() and waiting:
                done, waiting = await asyncio.wait({over, *waiting}, return_when=asyncio.FIRST_COMPLETED)
                waiting.discard(over)
                for task in done - {over}:
                    task.result()
        finally:
            for task in (*tasks, over):
                task.cancel()
            await asyncio.gather(*tasks, over, return_exceptions=True)

    async def _then_events(self) -> None:
        """Events name objects: they are read after these, so that all names in them have pseudonyms."""
        watches = [watch for watch in self.watches if watch.target.kind.kind == EVENT]
        await asyncio.gather(*(watch.listed.wait() for watch in self.watches if watch not in watches))
        await asyncio.gather(*(watch.run() for watch in watches))

    async def _until_stopped(self) -> None:
        await self.stopping.wait()

    def _is_listed(self) -> bool:
        return all(watch.listed.is_set() for watch in self.watches)

    async def _until_over(self) -> None:
        await asyncio.gather(*(watch.listed.wait() for watch in self.watches))
        lines = self.journal.n_lines
        self._say(f"listed {lines[OBJECTS]:,} objects")
        if self._plan.seconds is not None:
            await asyncio.sleep(self._plan.seconds)
            self.stopping.set()

    async def _keep_synced(self) -> None:
        while True:
            await asyncio.sleep(self._pace.sync)
            await self._sync()

    async def _sync(self, ended: float | None = None) -> None:
        try:
            await self.journal.sync(self._about.state(ended))
        except DiskFull:
            self._room.note_full()
        else:
            if not self._room.n_waiting:
                self._room.note_room()

    async def _look_at_version(self) -> None:
        """Note when the control plane became another version."""
        while True:
            await asyncio.sleep(self._pace.version)
            with contextlib.suppress(Away):
                now = await server_version(self.requester)
                if self._about.note_version(now, self._clock()):
                    self._say(f"the server is {now} now")

    async def _follow(self, follower: PieceSender) -> None:
        try:
            await follower.run()
        except NotFollowed as problem:
            self._say(f"following has stopped: {problem}")
            self._follower = None
            await follower.close()
            if self._plan.target is None:
                self._lost_follower = True
                self.stopping.set()

    # ------------------------------------------------------------ the end

    async def _close(self) -> int:
        """Write what is left, send it, pack it; the exit status."""
        ended = self._clock()
        for watch in self.watches:
            if not watch.listed.is_set():
                watch.note_unlisted(self._about.began)
        await self._sync(ended)
        is_sent = await self._end_following()
        lines = self.journal.n_lines
        minutes = max(self._clock() - self._opened, 60.0) / 60
        counts = f"{lines[OBJECTS]:,} objects, {lines[CHANGES]:,} changes, {lines[EVENTS]:,} events"
        per_minute = self.requester.n_requests / minutes
        self._say(f"{counts}; {self.requester.n_requests:,} requests, {per_minute:,.1f} a minute")
        for gap in self.ledger.counted:
            self._say(f"gap {gap.code}: {gap.text}")
        is_packed = await self._pack(ended)
        return WHOLE if is_packed and is_sent and not self.ledger.counted else WITH_GAPS

    async def _end_following(self) -> bool:
        if self._follower is None:
            return not self._lost_follower
        why = "there was no time for it"
        try:
            is_sent = await self._follower.finish()
        except NotFollowed as problem:
            is_sent, why = False, str(problem)
        await self._follower.close()
        if not is_sent:
            self._say(f"not all was sent to the workspace: {why}")
        return is_sent or self._plan.target is not None

    async def _pack(self, ended: float) -> bool:
        target, folder = self._plan.target, self.journal.folder
        if target is None:
            shutil.rmtree(folder)
            return True
        try:
            size = await asyncio.to_thread(pack, folder, self._about.meta(ended), target)
        except OSError as problem:
            self._say(
                f"{target} could not be written: {problem.strerror or problem}. --resume {target} closes {folder}"
            )
            return False
        shutil.rmtree(folder)
        self._say(f"{target}: {size:,} bytes")
        return True
