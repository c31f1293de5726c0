"""The data folder: what it makes, and what it says when it cannot."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.data_folder import DataFolder, DataFolderError


def test_secret_key_is_made_once_and_only_the_owner_reads_it(tmp_path):
    first = DataFolder(tmp_path / "data").secret_key()
    assert len(first) >= 50
    assert DataFolder(tmp_path / "data").secret_key() == first
    assert stat.S_IMODE((tmp_path / "data" / "secret_key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_two_first_starts_agree_on_one_key(tmp_path):
    folder = DataFolder(tmp_path)
    folder._write_once(tmp_path / "secret_key", "the winner's")
    folder._write_once(tmp_path / "secret_key", "the loser's")
    assert folder.secret_key() == "the winner's"
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


@pytest.mark.parametrize("content", ["", "\n", "  \n"])
def test_empty_key_is_filled_once_and_said(tmp_path, caplog, content):
    (tmp_path / "secret_key").write_text(content)
    first = DataFolder(tmp_path).secret_key()
    assert len(first) >= 50
    assert DataFolder(tmp_path).secret_key() == first
    (record,) = caplog.records
    assert str(tmp_path / "secret_key") in record.getMessage()


def test_many_processes_that_find_an_empty_key_agree_on_one(tmp_path):
    (tmp_path / "secret_key").touch()
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: DataFolder(tmp_path).secret_key(), range(16)))) == 1


@pytest.mark.parametrize("spoil", [lambda path: path.write_bytes(b"\xff\xfe"), lambda path: path.mkdir()])
def test_unusable_key_is_one_line_that_says_what_to_do(tmp_path, spoil):
    spoil(tmp_path / "secret_key")
    with pytest.raises(DataFolderError, match=r"secret_key cannot be ") as caught:
        DataFolder(tmp_path).secret_key()
    assert "\n" not in str(caught.value)


def test_unusable_path_is_named_with_what_to_do(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataFolderError, match=r"file/data .* SCHEDSCOPE_DATA") as caught:
        DataFolder(tmp_path / "file" / "data")
    assert "\n" not in str(caught.value)


def test_second_lock_is_refused_until_the_first_is_released(tmp_path):
    folder = DataFolder(tmp_path)
    first = folder.lock()
    with pytest.raises(DataFolderError, match=r"\(process \d+\)"):
        folder.lock()
    first.close()
    folder.lock().close()


def test_address_is_what_was_written_or_the_default(tmp_path):
    folder = DataFolder(tmp_path)
    assert folder.address() == "http://127.0.0.1:8000"
    folder.write_address("http://127.0.0.1:8123")
    assert DataFolder(tmp_path).address() == "http://127.0.0.1:8123"


def test_words(tmp_path, caplog):
    key = tmp_path / "secret_key"
    key.write_text("")
    folder = DataFolder(tmp_path)
    folder.secret_key()
    assert [record.getMessage() for record in caplog.records] == [
        f"schedscope: the secret key {key} was empty; a new one is made, everybody signs in again"
    ]
    with (
        folder.lock(),
        pytest.raises(DataFolderError, match=r"already runs on the data folder .* \(process \d+\)"),
    ):
        folder.lock()
    key.write_bytes(b"\xff\xfe")
    with pytest.raises(DataFolderError, match=r"secret_key cannot be used .* or delete it to have a new one"):
        folder.secret_key()
    with pytest.raises(DataFolderError, match=r"secret_key/data cannot be written to .* set SCHEDSCOPE_DATA"):
        DataFolder(key / "data")
