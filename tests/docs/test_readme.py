"""README shows what is there: the command that brings a cluster is the one of the pages."""

from __future__ import annotations

from pathlib import Path

from scheduler_core.manifests import DUMP_COMMAND

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_command_that_brings_a_cluster_is_the_one_of_the_pages() -> None:
    assert DUMP_COMMAND in README
    assert README.count("kubectl get -A") == 1
