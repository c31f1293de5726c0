"""Makes a token of a workspace and prints its secret, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.accounts.leaving.named import named_workspace
from dashboard.accounts.tokens.actions import NewToken, make_by_terminal
from dashboard.common.problems import Problem

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """manage.py create_token WORKSPACE --name NAME --scope collect:CLUSTER [--expires DAYS]."""

    help = "Make a token of a workspace and print its secret, which is shown only now."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("workspace", help="the workspace, as in its address: /w/WORKSPACE/")
        parser.add_argument("--name", required=True, help="where the token is used")
        parser.add_argument(
            "--scope",
            action="append",
            required=True,
            help="what it may do: collect:CLUSTER sends pieces of this cluster, which is made where it is not there",
        )
        parser.add_argument("--expires", type=int, metavar="DAYS", help="the days after which it ends; default: never")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the secret on a line of its own."""
        workspace = named_workspace(options["workspace"])
        try:
            _, secret = make_by_terminal(workspace, NewToken(options["name"], options["scope"], options["expires"]))
        except Problem as problem:
            raise CommandError(problem.detail) from problem
        self.stdout.write(secret)
