"""The list of actions: keys of their own, and each one known to forms."""

from __future__ import annotations

from dashboard.clusters.by_hand.catalogue import ACTIONS, WHATS


def test_each_action_has_a_key_of_its_own_and_a_form_may_ask_for_it():
    keys = [one.key for one in ACTIONS]
    assert len(set(keys)) == len(keys)
    assert {one.what for one in ACTIONS} <= set(WHATS)


def test_kinds_are_an_attribute_of_the_page():
    kinds = {one.what: one.kinds_text for one in ACTIONS}
    assert kinds["drain"] == "Node"
    assert kinds["label"] == ""
