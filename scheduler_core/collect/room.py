"""Waiting for room on a full disk; until then nothing is read, and the server keeps what changes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from scheduler_core.collect.gaps import GapLedger
from scheduler_core.collect.recording import ChangeRecorder
from scheduler_core.collect.server.pace import Pace
from scheduler_core.manifests.bundle.model import BundleGap

NEEDED_BYTES = 4 << 20
_ONE_GAP_SECONDS = 10.0
"""A disk that is full again so soon was full all the time."""


class DiskRoom:
    """The room on the journal's disk."""

    def __init__(
        self, folder: Path, ledger: GapLedger, recorder: ChangeRecorder, pace: Pace, needed: int = NEEDED_BYTES
    ) -> None:
        self._folder = folder
        self._ledger = ledger
        self._recorder = recorder
        self._pace = pace
        self._needed = needed
        self.n_waiting = 0

    @property
    def is_full(self) -> bool:
        """Whether lines wait for room."""
        return self._ledger.is_open("DISK_FULL", "")

    def note_full(self) -> None:
        """A line could not be written."""
        if not self.is_full and not self._ledger.reopen("DISK_FULL", "", self._recorder.clock() - _ONE_GAP_SECONDS):
            text = "the disk was full: what changed meanwhile was read later, or listed again"
            self._ledger.add(BundleGap(code="DISK_FULL", text=text, since=self._recorder.clock()))

    def note_room(self) -> None:
        """Lines can be written again."""
        self._ledger.end("DISK_FULL", "", self._recorder.clock())

    async def wait(self) -> None:
        """Return when there may be room; what is written to the disk then shows whether there is."""
        self.note_full()
        self.n_waiting += 1
        try:
            while self._left() < self._needed:
                await asyncio.sleep(self._pace.first_wait)
            # The room may be for others than for us (a quota), and the next line fail again: not at once.
            await asyncio.sleep(self._pace.first_wait)
        finally:
            self.n_waiting -= 1

    def _left(self) -> int:
        """The bytes that are free."""
        disk = os.statvfs(self._folder)
        return disk.f_bavail * disk.f_frsize
