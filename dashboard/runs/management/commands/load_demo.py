"""`manage.py load_demo`: the demo clusters and runs, made once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.accounts.access import find_member
from dashboard.accounts.account_actions import first_owner
from dashboard.accounts.models import Role
from dashboard.common.problems import Problem
from dashboard.runs.demo import load_demo


class Command(BaseCommand):
    """Loads the missing parts of the demo; prints nothing if all are there."""

    help = "Make the demo clusters and start their runs, in the local owner's workspace. Does nothing a second time."

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print a line per run that was started."""
        user, workspace = first_owner()
        member = find_member(user, workspace.slug)
        if not member.may(Role.EDITOR):
            self.stdout.write(f"schedscope: {user.label} may not start runs in {workspace.name}, so no demo is loaded")
            return
        try:
            runs = load_demo(member)
        except Problem as problem:
            raise CommandError(f"the demo cannot be loaded: {problem.detail}") from problem
        for run in runs:
            self.stdout.write(f"schedscope: {run} (run {run.number}) is started")
