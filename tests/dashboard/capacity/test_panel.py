"""A question with what came of it: what it shows, and where it goes on."""

from __future__ import annotations

from dashboard.answers.answering.capacity import DrainedAnswer, UnneededAnswer
from dashboard.answers.outcomes import Answer, Failed, Waiting, WaitsFor
from dashboard.capacity.choice import CapacityChoice, CapacityPlace
from dashboard.capacity.panel import AskedQuestion


def asked(outcome, **choice):
    return AskedQuestion(CapacityChoice(**choice), CapacityPlace("/c/", {}), outcome, {"until": "1", "asker": "x"})


def spare(done):
    return Answer(UnneededAnswer(free=(), needed=(), n_free=0, codes={}, done=done, total=4), 0.1)


def test_a_long_answer_goes_on_by_itself_until_it_is_stopped_or_over():
    part = asked(spare(1), show="spare", turn=2)
    assert (part.goes_on, part.share, part.again) == (True, 0.25, "/c/?show=spare&turn=3&asker=x")
    stopped = asked(spare(1), show="spare", turn=2, stop=True)
    assert (stopped.goes_on, stopped.go_on_url) == (False, "/c/?show=spare&turn=3")
    assert not asked(spare(4), show="spare").goes_on


def test_what_waits_asks_for_the_same_again_and_what_failed_does_not():
    waiting = asked(Waiting(WaitsFor.OTHERS, 2), show="room")
    assert (waiting.goes_on, waiting.is_complete, waiting.page) == (True, False, None)
    assert waiting.again == "/c/?show=room&until=1&asker=x"
    failed = asked(Failed("no such pod."), pod="a/b", turn=4)
    assert (failed.goes_on, failed.all_pods_url, failed.tile[2]) == (False, "/c/", "No such pod.")


def test_a_short_answer_is_complete():
    one = asked(Answer(DrainedAnswer(drain=None, nodes=(), n_nodes=0), 0.1), show="drain", q="g", node=("n",))
    assert (one.is_complete, one.share, one.number) == (True, 0.0, 3)
    assert one.fields["nodes"] == [("show", "drain")]
