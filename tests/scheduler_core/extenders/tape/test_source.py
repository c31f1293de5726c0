from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core.extenders.calls import ExtenderReply
from scheduler_core.extenders.tape.errors import TapeError
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
@given(st.lists(st.tuples(CALLS, REPLIES), max_size=12))
def test_what_was_recorded_is_answered_again(tmp_path_factory, calls):
    path = write_tape(tmp_path_factory.mktemp("tape") / "run.tape", calls)
    with Tape(path) as tape:
        source = TapeSource(tape)
        assert [source.ask([call])[0] for call, _ in calls] == [reply for _, reply in calls]
        assert all(reply.fault.startswith(NOT_ON_TAPE) for reply in source.ask([call for call, _ in calls]))


def test_the_same_request_gets_its_answers_in_turn_whatever_lies_between(opened):
    source = opened(
        [(on_nodes(step=step), answer(b"%d" % step)) for step in range(3)] + [(on_bind(step=9), answer(b"b"))]
    )
    calls = [on_nodes(step=7), on_bind(step=8), on_nodes(step=8), on_nodes(step=9), on_nodes(step=9)]
    bodies = [source.ask([call])[0].body for call in calls]
    assert bodies == [b"0", b"b", b"1", b"2", b""]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (on_nodes(), "filter of extenders[0] for pod default/p: answers to this request end after 1"),
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


def test_a_state_is_gone_back_to(opened):
    source = opened([(on_nodes(step=step), answer(b"%d" % step)) for step in range(3)])
    source.ask([on_nodes()])
    state = source.state()
    assert [source.ask([on_nodes()])[0].body for _ in range(2)] == [b"1", b"2"]
    source.restore(state)
    assert source.ask([on_nodes()])[0].body == b"1"


def test_a_state_of_another_tape_is_refused(opened):
    one, other = opened([(on_nodes(), answer(b""))]), opened([(on_nodes(), answer(b"")), (on_bind(), answer(b""))])
    for state, text in ((one.state(), "that of another tape's source"), (b"damaged", "cannot be read")):
        with pytest.raises(TapeError, match=text):
            other.restore(state)
    with pytest.raises(TapeError):
        one.restore(other.state())
