from __future__ import annotations

import pytest

from scheduler_core.extenders.calls import MAX_ANSWER_BYTES
from scheduler_core.extenders.tape import writer
from scheduler_core.extenders.tape.errors import TapeError
from scheduler_core.extenders.tape.reader import Tape
from scheduler_core.extenders.tape.source import TapeSource
from scheduler_core.extenders.tape.writer import TapeWriter
from tests.scheduler_core.extenders.tape.taping import HEADER, Scripted, answer, on_nodes, write_tape


def test_the_replies_are_those_of_the_source_and_the_file_appears_at_the_end(tmp_path):
    path = tmp_path / "run.tape"
    replies = [answer(b"a"), answer(b"b")]
    with TapeWriter(path, HEADER, Scripted(replies)) as tape:
        assert tape.ask([on_nodes(verb="prioritize"), on_nodes(verb="prioritize", extender=1)]) == replies
        assert not path.exists()
    assert [one.name for one in tmp_path.iterdir()] == ["run.tape"]
    with Tape(path) as opened:
        assert opened.n_calls == tape.n_calls == 2


def test_a_run_that_fails_leaves_a_tape_of_what_was_answered_until_then(tmp_path):
    path = tmp_path / "run.tape"

    def run():
        with TapeWriter(path, HEADER, Scripted([answer(b"a")])) as tape:
            tape.ask([on_nodes()])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()
    with Tape(path) as opened:
        assert TapeSource(opened).ask([on_nodes()]) == [answer(b"a")]


@pytest.mark.parametrize(
    ("existing", "sentence"),
    [
        ("run.tape", "run.tape: exists already; a tape is never written over another file"),
        ("run.tape.part", "run.tape.part: exists already: another recording writes it, or one was killed"),
    ],
)
def test_words_of_files_that_are_there(tmp_path, existing, sentence):
    (tmp_path / existing).write_text("something of value")
    with pytest.raises(TapeError) as refused:
        TapeWriter(tmp_path / "run.tape", HEADER, Scripted([]))
    assert str(refused.value) == f"{tmp_path}/{sentence}"
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [(existing, "something of value")]


@pytest.mark.parametrize("sentence", ["the tape is full (1,000 bytes); its first {n} calls are kept"])
def test_a_full_tape_keeps_the_blocks_that_fit(tmp_path, monkeypatch, sentence):
    monkeypatch.setattr(writer, "_MOST_BYTES", 1000)
    monkeypatch.setattr(writer, "_BLOCK_CALLS", 1)
    path = tmp_path / "run.tape"
    calls = [(on_nodes(of=f"p{i}", step=i), answer(b"%d" % i)) for i in range(9)]
    with pytest.raises(TapeError) as error:
        write_tape(path, calls)
    with Tape(path) as opened:
        assert str(error.value) == f"{path}: {sentence.format(n=opened.n_calls)}"
        assert 0 < opened.n_calls < 9


@pytest.mark.parametrize(
    ("size", "sentence"), [(MAX_ANSWER_BYTES + 1, "an answer has 67,108,865 bytes; 67,108,864 may be")]
)
def test_words_of_an_answer_that_is_too_long(tmp_path, size, sentence):
    path = tmp_path / "run.tape"
    with pytest.raises(TapeError) as error:
        write_tape(path, [(on_nodes(), answer(bytes(size)))])
    assert str(error.value) == f"{path}: {sentence}"


@pytest.mark.slow
def test_whole_nodes_cost_little_more_than_their_names(tmp_path):
    """200 attempts on 500 nodes, each answered by a part of them whole: 100 MB of JSON."""
    names = [f"node-{i}" for i in range(500)]
    nodes = [
        b'{"metadata":{"name":"%s"},"status":"%s"}' % (name.encode(), bytes([65 + i % 26]) * 2000)
        for i, name in enumerate(names)
    ]
    calls = []
    for step in range(200):
        left = [node for i, node in enumerate(nodes) if (i + step) % 3]
        calls.append(
            (on_nodes(names, f"p{step}", step, objects=True), answer(b'{"Nodes":{"items":[%s]}}' % b",".join(left)))
        )
    path = write_tape(tmp_path / "run.tape", calls)
    assert path.stat().st_size < 100_000
    with Tape(path) as tape:
        source = TapeSource(tape)
        assert all(source.ask([call]) == [reply] for call, reply in calls)
