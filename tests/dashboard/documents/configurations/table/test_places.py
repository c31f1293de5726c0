"""Places in the document of a configuration."""

from __future__ import annotations

from dashboard.documents.configurations.table import places


def test_a_document_without_profiles_has_the_default_one():
    root = {}
    assert places.profile_in(root, 0) == {"schedulerName": "default-scheduler"}
    assert root == {"profiles": [{"schedulerName": "default-scheduler"}]}


def test_an_entry_is_made_once_and_what_is_left_empty_goes():
    profile = {"plugins": {"score": {}}}
    lists = profile["plugins"]["score"]
    places.enable(lists, "NodeAffinity")
    places.enable(lists, "NodeAffinity")
    places.forbid(lists, "ImageLocality")
    assert lists == {"enabled": [{"name": "NodeAffinity"}], "disabled": [{"name": "ImageLocality"}]}
    assert places.has_entry(lists["enabled"], "NodeAffinity")
    assert not places.has_entry(lists["enabled"], "ImageLocality")
    places.drop(lists, "NodeAffinity")
    places.allow(lists, "ImageLocality")
    places.drop_empty(profile, profile["plugins"], "score")
    assert profile == {}


def test_none_takes_a_key_out():
    mapping = {"a": 1}
    places.put(mapping, "b", 0)
    places.put(mapping, "a", None)
    places.put(mapping, "c", None)
    assert mapping == {"b": 0}
