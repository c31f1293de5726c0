"""Saving scheduler configurations: checked, numbered, written down, and refused where nothing differs."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.clusters.revisions.actions import BadObjects
from dashboard.common.problems import Conflict, Problem
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.models import SchedulerConfig

TEXT = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def new(text=TEXT, base=0, **fields):
    return NewText(name=fields.get("name", "pack"), text=text, message=fields.get("message", ""), base=base)


def test_each_saving_is_a_revision_and_a_line_of_the_log(editor):
    first = save_config(editor.member, None, new())
    second = save_config(editor.member, first.config, new(TEXT + "parallelism: 4\n", base=1, message=" faster "))
    assert (first.number, second.number, second.message) == (1, 2, "faster")
    assert list(
        AuditEntry.objects.filter(action__startswith="config.").order_by("pk").values_list("action", flat=True)
    ) == [
        "config.created",
        "config.saved",
    ]


def test_a_text_that_is_no_configuration_is_refused_with_its_findings(editor):
    with pytest.raises(BadObjects):
        save_config(editor.member, None, new("kind: KubeSchedulerConfiguration\nprofiles: 7\n"))
    assert not SchedulerConfig.objects.exists()


def test_the_same_text_again_is_nothing_to_save(editor):
    config = save_config(editor.member, None, new()).config
    with pytest.raises(Problem, match="Nothing differs"):
        save_config(editor.member, config, new(base=1))


def test_who_began_from_an_older_revision_is_told(editor):
    config = save_config(editor.member, None, new()).config
    save_config(editor.member, config, new(TEXT + "parallelism: 4\n", base=1))
    with pytest.raises(Conflict):
        save_config(editor.member, config, new(TEXT + "parallelism: 8\n", base=1))
