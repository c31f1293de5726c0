"""The journal: whole lines or none, on any disk."""

from __future__ import annotations

import asyncio
import errno
import os

import pytest

from scheduler_core.collect.journal import FILES, CollectionState, DiskFull, Journal
from scheduler_core.manifests.bundle.model import CHANGES, META, OBJECTS, BundleMeta


class FullDisk:
    """Writes until so many bytes are written."""

    def __init__(self, room: int) -> None:
        self.room = room

    def __call__(self, file: int, data: bytes) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        part = data[: self.room]
        self.room -= len(part)
        return os.write(file, part)


@pytest.fixture
def journal(tmp_path):
    made = Journal(tmp_path / "j")
    made.create()
    yield made
    made.close()


def test_only_this_user_may_enter_the_folder(journal):
    assert journal.folder.stat().st_mode & 0o777 == 0o700
    assert {(journal.folder / name).stat().st_mode & 0o777 for name in FILES} == {0o600}


def test_half_a_line_on_a_full_disk_is_taken_back(tmp_path):
    disk = FullDisk(12)
    journal = Journal(tmp_path / "j", disk)
    journal.create()
    journal.append(OBJECTS, b"first")
    with pytest.raises(DiskFull):
        journal.append(OBJECTS, b"second line")
    assert (journal.folder / OBJECTS).read_bytes() == b"first\n"
    disk.room = 100
    journal.append(OBJECTS, b"second line")
    assert list(journal.lines(OBJECTS)) == [b"first", b"second line"]
    assert journal.n_lines[OBJECTS] == 2
    journal.close()


def test_other_errors_of_the_disk_are_no_want_of_room(tmp_path):
    def broken(file: int, data: bytes) -> int:
        raise OSError(errno.EIO, "broken")

    journal = Journal(tmp_path / "j", broken)
    journal.create()
    with pytest.raises(OSError, match="broken"):
        journal.append(OBJECTS, b"x")
    journal.close()


def test_opened_again_it_ends_with_its_last_whole_line(journal):
    journal.append(CHANGES, b"whole")
    with (journal.folder / CHANGES).open("ab") as file:
        file.write(b"x" * 3_000_000)
    (journal.folder / OBJECTS).write_bytes(b"no line at all")
    again = Journal(journal.folder)
    assert again.reopen() == [OBJECTS, CHANGES]
    assert (list(again.lines(OBJECTS)), list(again.lines(CHANGES))) == ([], [b"whole"])
    assert again.n_lines[CHANGES] == 1
    again.close()


def test_the_state_is_read_back_and_kept_from_others(journal):
    state = CollectionState(
        collection="c", key="00", versions={"pods/": "7"}, listed=["pods/"], meta=BundleMeta(began=1)
    )
    asyncio.run(journal.sync(state))
    assert journal.state() == state
    assert (journal.folder / META).exists()
    assert (journal.folder / "state.json").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in journal.folder.iterdir() if path.name.startswith(".")] == []


def test_lines_between_two_offsets(journal):
    for line in (b"a", b"bb", b"ccc"):
        journal.append(CHANGES, line)
    assert list(journal.lines(CHANGES, 2, 5)) == [b"bb"]


def test_what_is_forgotten_leaves_the_rest(journal):
    for line in (b"a", b"bb"):
        journal.append(CHANGES, line)
    asyncio.run(journal.forget({CHANGES: 2}))
    journal.append(CHANGES, b"ccc")
    assert list(journal.lines(CHANGES)) == [b"bb", b"ccc"]
    assert journal.sizes[CHANGES] == 7
