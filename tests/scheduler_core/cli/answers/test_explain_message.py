"""The command explain-message: its exit status, and where the text comes from."""

from __future__ import annotations

import io
import json

import pytest

from scheduler_core.__main__ import main

KNOWN = "0/2 nodes are available: 2 Insufficient cpu."
UNKNOWN = "0/2 nodes are available: 1 Insufficient cpu, 1 rack \x1b[31m closed."


def run(*arguments):
    return main(["explain-message", *arguments])


def test_a_text_a_file_and_standard_input_give_the_same(tmp_path, monkeypatch, capsys):
    file = tmp_path / "events.txt"
    file.write_text(KNOWN)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(KNOWN.encode())))
    said = []
    for source in (KNOWN, str(file), "-"):
        assert run(source) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] == said[2]
    assert "SHORT_CPU" in said[0]


def test_json_has_the_codes(capsys):
    assert run(KNOWN, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == 1
    assert answer["messages"][0]["parts"][0]["codes"] == ["SHORT_CPU", "TOO_LARGE", "HELD_BY_NOMINATED"]


def test_a_part_that_is_not_known_is_status_1_with_its_column(capsys):
    assert run(UNKNOWN) == 1
    said = capsys.readouterr()
    assert "column 46: " in said.err
    assert "\x1b" not in said.err + said.out


@pytest.mark.parametrize(
    "text", ["", " ", "\0", "\x1b]0;x\x07", "x" * 100_000], ids=["empty", "blank", "null", "escape", "long"]
)
def test_what_is_no_message_is_status_1(text, capsys):
    assert run(text) == 1
    said = capsys.readouterr()
    assert said.out.replace("\n", "").isprintable()


def test_a_file_that_cannot_be_read_is_status_1(tmp_path, monkeypatch, capsys):
    file = tmp_path / "a"
    file.write_text("")
    monkeypatch.setattr("pathlib.Path.open", lambda *_: (_ for _ in ()).throw(OSError(13, "Permission denied")))
    assert run(str(file)) == 1
    assert "Permission denied" in capsys.readouterr().err


def test_a_wrong_command_line_is_status_2(capsys):
    for arguments in ([], [KNOWN, "--wrong"], [KNOWN, KNOWN]):
        with pytest.raises(SystemExit) as ended:
            run(*arguments)
        assert ended.value.code == 2
    capsys.readouterr()
