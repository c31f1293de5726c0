from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core.extenders.calls import ExtenderReply
from scheduler_core.extenders.tape.reader import Tape
from scheduler_core.extenders.tape.source import NOT_ON_TAPE, TapeSource
from tests.scheduler_core.extenders.tape.taping import answer, on_bind, on_nodes, on_victims, write_tape


@pytest.fixture
def opened(tmp_path):
    """A function that records calls with their replies, and gives a source that answers from the tape."""
    tapes = []

    def record(calls):
        tapes.append(Tape(write_tape(tmp_path / f"{len(tapes)}.tape", calls)))
        return TapeSource(tapes[-1])

    yield record
    for tape in tapes:
        tape.close()


NAMES, UIDS, PODS = st.sampled_from(["n1", "n2", "n3"]), st.sampled_from(["a", "b", "c"]), st.sampled_from(["p", "q"])
VICTIMS = st.dictionaries(NAMES, st.tuples(st.lists(UIDS, max_size=3), st.integers(0, 2)))
CALLS = st.one_of(
    st.builds(
        on_nodes,
        st.lists(NAMES, unique=True),
        PODS,
        extender=st.integers(0, 1),
        verb=st.sampled_from(["filter", "prioritize"]),
        objects=st.booleans(),
    ),
    st.builds(on_victims, VICTIMS, PODS, extender=st.integers(0, 1), objects=st.booleans()),
    st.builds(on_bind, NAMES, PODS),
)
REPLIES = st.one_of(
    st.builds(ExtenderReply, st.sampled_from([200, 404, 500]), st.binary(max_size=8)),
    st.builds(ExtenderReply, fault=st.sampled_from(["timeout", "closed", 'Post "u": dial tcp: no such host'])),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(CALLS, REPLIES), max_size=12), st.integers(1, 4))
def test_what_was_recorded_is_answered_again(tmp_path_factory, calls, calls_per_step):
    calls = [(msgspec.structs.replace(call, step=i // calls_per_step), reply) for i, (call, reply) in enumerate(calls)]
    path = write_tape(tmp_path_factory.mktemp("tape") / "run.tape", calls)
    with Tape(path) as tape:
        source = TapeSource(tape)
        assert [source.ask([call])[0] for call, _ in calls] == [reply for _, reply in calls]
        first = len(calls) // 2 // calls_per_step * calls_per_step
        assert [source.ask([call])[0] for call, _ in calls[first:]] == [reply for _, reply in calls[first:]]


def bodies(source, steps):
    """The answers to the same request in attempts of these numbers."""
    return b"".join(source.ask([on_nodes(step=step)])[0].body for step in steps)


def test_an_attempt_gets_the_answers_of_its_number_in_turn(opened):
    source = opened(
        [(on_nodes(step=step), answer(body)) for step, body in ((1, b"a"), (2, b"b"), (2, b"c"), (5, b"d"))]
    )
    assert bodies(source, [1, 2, 2, 5]) == b"abcd"
    assert bodies(source, [2, 2, 2, 2]) == b"bcbc"
    assert bodies(source, [1, 1]) == b"aa"


def test_another_attempt_gets_the_last_answer_before_it_or_else_the_first_one(opened):
    source = opened([(on_nodes(step=step), answer(body)) for step, body in ((3, b"a"), (3, b"b"), (7, b"c"))])
    assert bodies(source, [1, 2, 4, 6, 8, 100]) == b"aabbcc"


def test_bindings_may_come_later_than_the_attempts_behind_them(opened):
    calls = [(on_nodes(step=1), b"1"), (on_nodes(step=4), b"2"), (on_bind(step=3), b"3"), (on_bind(step=2), b"4")]
    source = opened([(call, answer(body)) for call, body in calls])
    assert [source.ask([call])[0].body for call, _ in calls] == [b"1", b"2", b"3", b"4"]
    assert source.ask([on_bind(step=1)])[0].body == b"4"


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (
            on_nodes(of="q"),
            "filter of extenders[0] for pod default/q: no request for a pod of this name with UID 'uid-q'",
        ),
        (on_nodes(["n1"]), "filter of extenders[0] for pod default/p: no request with this set of 1 nodes"),
        (
            on_nodes(extender=1),
            "filter of extenders[1] for pod default/p: no such request for this pod and these nodes",
        ),
        (on_bind("n9"), "bind of extenders[0] for pod default/p: no request with node n9"),
        (
            on_victims({"n1": (["a"], 1), "n2": (["a"], 0)}),
            "preempt of extenders[0] for pod default/p: no such request for this pod and these victims",
        ),
    ],
)
def test_a_request_that_is_not_on_the_tape_fails_and_says_why(opened, call, reason):
    recorded = [on_nodes(), on_victims({"n1": (["a"], 0), "n2": (["a"], 0)})]
    source = opened([(one, answer(b"{}")) for one in recorded])
    source.ask(recorded)
    (reply,) = source.ask([call])
    assert reply == ExtenderReply(fault=NOT_ON_TAPE + reason)
    assert reply.fault_text(call) == reply.fault
