"""Saving scheduler configurations with a history."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.revisions.actions import BadObjects
from dashboard.documents.actions import DOING, NewText, store_text
from dashboard.documents.configurations.checking import read_configuration
from dashboard.documents.models import ConfigRevision, SchedulerConfig
from scheduler_core.manifests import UNKNOWN, configuration_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.accounts.models import Member


def save_config(member: Member, config: SchedulerConfig | None, new: NewText) -> ConfigRevision:
    """Return the new revision, of a new configuration where `config` is None; raises as `prepare_config`, which reads
    outside of transactions."""
    return prepare_config(member, config, new)()


def prepare_config(member: Member, config: SchedulerConfig | None, new: NewText) -> Callable[[], ConfigRevision]:
    """Read the text; return what saves it, in one transaction.

    The text may name plugins that are not installed here: a run leaves them out on request. Raises BadObjects for a
    text with errors, Conflict where somebody saved since `new.base` or has the name,
    Problem where nothing differs.
    """
    require(member, Role.EDITOR, DOING)
    reading = read_configuration(new.text, UNKNOWN)
    if reading.configuration is None:
        raise BadObjects([finding for finding in reading.findings if finding.severity == "error"])
    return partial(store_config, member, config, replace(new, text=configuration_text(new.text)))


def store_config(member: Member, config: SchedulerConfig | None, new: NewText) -> ConfigRevision:
    """Return the new revision of a text that was read without errors; raises Conflict, Problem as `prepare_config`."""
    revision: ConfigRevision = store_text(member, SchedulerConfig, config, new, "configuration")
    return revision
