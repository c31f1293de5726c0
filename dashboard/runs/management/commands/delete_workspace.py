"""`manage.py delete_workspace`: deletes a workspace with all that belongs to it; says what goes, and asks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand
from django.db import transaction
from django.db.models import F

from dashboard.accounts.leaving.named import named_workspace
from dashboard.accounts.leaving.removing import delete_workspace, rows_in_workspace
from dashboard.common.management.confirming import is_confirmed
from dashboard.runs.models import Run, RunHead, State
from dashboard.runs.storage.deletion import delete_some

if TYPE_CHECKING:
    from argparse import ArgumentParser

log = logging.getLogger(__name__)


class Command(BaseCommand):
    """manage.py delete_workspace SLUG [--yes]."""

    help = "Delete a workspace with its clusters, runs and reviews. Says what goes, and asks first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the workspace and the choice not to be asked."""
        parser.add_argument("slug", help="the workspace, as in its address")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print what goes; delete where somebody says yes: recordings in small transactions, then the rest in one."""
        workspace = named_workspace(options["slug"])
        counts = rows_in_workspace(workspace)
        self._say(f"these rows of {workspace.name} go: " + ", ".join(f"{n} {name}" for name, n in counts.items()))
        if not options["yes"] and not is_confirmed(self._say):
            return
        with transaction.atomic():
            # Workers that execute them lose their leases, as when somebody deletes a run.
            RunHead.objects.filter(run__workspace=workspace).update(lease_epoch=F("lease_epoch") + 1)
            Run.everything.filter(workspace=workspace).update(state=State.DELETING)
        while delete_some():
            pass
        delete_workspace(workspace)
        log.info("workspace %s is deleted", workspace.slug)
        self._say(f"{workspace.name} is deleted")

    def _say(self, text: str) -> None:
        self.stdout.write(f"schedscope: {text}")
