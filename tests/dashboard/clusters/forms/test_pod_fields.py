"""Fields of pods, alone and in a template."""

from __future__ import annotations

from dashboard.clusters.forms.pod_fields import pod_sections


def test_fields_stand_below_the_path_of_the_pod():
    paths = [one.path for section in pod_sections(("spec", "template"), "Labels") for one in section.fields]
    assert ("spec", "template", "metadata", "labels") in paths
    assert ("spec", "template", "spec", "tolerations") in paths
    assert all(path[:2] == ("spec", "template") for path in paths)


def test_each_builder_is_named_once():
    builders = [one.builder for section in pod_sections((), "Labels") for one in section.fields if one.builder]
    assert len(set(builders)) == len(builders) == 9
