"""What a text may become: forms first, then what there is."""

from __future__ import annotations

from dashboard.debugger.watches.names import MOST_NAMES, suggestions
from scheduler_core.explain.watches import FORMS
from scheduler_core.recording.state import RunState


def state(nodes=3):
    return RunState.initial({f"node-{n}": n for n in range(nodes)}, {"shop/web-1": "node-0"})


def test_forms_are_offered_where_nothing_is_written():
    assert suggestions("", state())[: len(FORMS)] == [form for form, _ in FORMS.values()]


def test_names_that_begin_so_come_before_names_that_have_it():
    some = RunState.initial({"a-node": 0, "node-1": 1}, {})
    assert suggestions("pods on node", some) == ["pods on node-1", "pods on a-node"]


def test_resources_are_offered_before_the_node():
    (offered,) = suggestions("free c", state(), ("cpu", "memory"))
    assert offered.split() == ["free", "cpu", "of", "node-0"]


def test_no_more_than_can_be_read_are_offered():
    assert len(suggestions("pods on", state(5_000))) == MOST_NAMES


def test_hostile_texts_are_offered_nothing():
    for text in ("count of " + "(" * 3_000, "free <b> of <i>", "\x00" * 700, 'state of pod "><script>'):
        assert suggestions(text, state()) == []
