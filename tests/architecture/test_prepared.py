"""What a test session prepares is made once, whoever asks, and again where making it failed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from tests import prepared as room
from tests.prepared import FOLDER, prepared


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path))
    room._session_folder.cache_clear()
    yield tmp_path
    room._session_folder.cache_clear()


def test_all_who_ask_at_once_get_what_the_first_one_made():
    made, together = [], Barrier(4)

    def make(place):
        made.append(place)
        (place / "data").write_text("rows")
        return "key"

    def ask():
        together.wait()
        return prepared("tables", make)

    with ThreadPoolExecutor(4) as pool:
        results = [one.result() for one in [pool.submit(ask) for _ in range(4)]]
    assert len(made) == 1
    assert results == [(made[0], "key")] * 4
    assert (made[0] / "data").read_text() == "rows"


def test_what_failed_half_way_is_made_anew():
    def fail(place):
        (place / "half").touch()
        raise ValueError("half way")

    with pytest.raises(ValueError, match="half way"):
        prepared("tables", fail)
    place, _ = prepared("tables", lambda place: "key")
    assert list(place.iterdir()) == []
