"""The buttons that step."""

from __future__ import annotations

from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.panels.transport import transport


def test_each_grain_has_a_choice_and_the_steps_of_the_chosen_one(run, cycle_of):
    number = cycle_of("small-1").number
    panel = transport(cursor_of(run, "team", {"cycle": str(number), "point": "Filter", "step": "point"}))
    assert [grain.label for grain in panel.grains if grain.is_chosen] == ["Point"]
    assert [grain.name for grain in panel.grains] == ["event", "call", "point", "cycle"]
    links = {link.key: link for link in [*panel.before_play, *panel.behind_play]}
    assert {name: link.rel for name, link in links.items() if link.rel} == {"back": "prev", "over": "next"}
    assert f"cycle={number}" in links["back"].url
    assert "point=PreFilter" in links["back"].url
    assert "extension point" in links["over"].label
    assert "call=NodeUnschedulable" in links["into"].url
    assert links["out"].url.endswith(f"cycle={number}")


def test_a_step_that_leads_nowhere_has_no_address(run):
    panel = transport(cursor_of(run, "team", {"seq": "0", "step": "event"}))
    links = {link.key: link.url for link in [*panel.before_play, *panel.behind_play]}
    assert links["back"] == links["into"] == links["out"] == ""
    assert "seq=1" in links["over"]
