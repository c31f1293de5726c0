"""Words that find decisions."""

from __future__ import annotations

from tests.dashboard.agreement.reality.conftest import PAGE, small
from tests.dashboard.helpers import strict_html


def shown_by(person, query):
    return person.get(f"{PAGE}{query}").context["shown"]


def test_words_find_pods_nodes_and_verdicts(compared, editor):
    pod, node = small().bindings[4]
    name = pod.partition("/")[2]
    assert {one.pod for one in shown_by(editor, f"?q={name}").shown} == {pod}
    assert {one.pod for one in shown_by(editor, f"?q=POD:{name}+node:{node}").shown} == {pod}
    assert not shown_by(editor, f"?q=node:{name}").shown
    chance = shown_by(editor, "?q=cause:among").shown
    assert chance
    assert {one.verdict for one in chance} == {"chance"}
    assert len(shown_by(editor, "?q=cause:among").rows) == len(chance)


def test_words_that_nothing_has_are_said_and_lead_back(compared, editor):
    page = strict_html(editor.get(f"{PAGE}?q=nothing-of-that"))
    assert "No decision has these words." in page
    assert "Fold agreeing" not in page
    assert "None of this class." in strict_html(editor.get(f"{PAGE}?show=order"))
