"""`manage.py delete_person`: deletes an account; says what goes and what stays, and asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.accounts.leaving.named import named_person
from dashboard.accounts.leaving.removing import GONE, delete_person, rows_of_leaving
from dashboard.common.management.confirming import is_confirmed
from dashboard.common.problems import Problem

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """manage.py delete_person EMAIL --comments keep|delete [--yes]."""

    help = "Delete a person with their drafts, searches and sessions. Says what goes, and asks first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the person, the choice on what they wrote, and the one not to be asked."""
        parser.add_argument("email")
        parser.add_argument(
            "--comments",
            choices=("keep", "delete"),
            required=True,
            help=f"keep: comments and verdicts stay, as of {GONE}; delete: their texts go, the places stay",
        )
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print what goes and what stays; delete where somebody says yes."""
        user = named_person(options["email"])
        going, staying = rows_of_leaving(user)
        self._say("these rows go: " + _listed(going))
        self._say(f"these stay, as of {GONE}: " + _listed(staying))
        self._say("texts in which others name this person, and the records of decided reviews, stay as they are")
        if not options["yes"] and not is_confirmed(self._say):
            return
        try:
            delete_person(user, options["comments"])
        except Problem as problem:
            raise CommandError(problem.detail) from problem
        self._say(f"{options['email']} is deleted")

    def _say(self, text: str) -> None:
        self.stdout.write(f"schedscope: {text}")


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
