"""Prints a one-time sign-in link; makes the local owner and their workspace on first start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from dashboard.accounts import account_actions
from dashboard.accounts.models import User

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """manage.py signin_link [--email E] [--host H] [--port P] [--https]."""

    help = "Print a one-time sign-in link, for the local owner unless --email names another user."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--email", default="", help="the user to sign in; default: the local owner")
        parser.add_argument("--host", default="", help="the host of the link; default: where the server runs")
        parser.add_argument("--port", type=int, default=0, help="the port of the link; default: where the server runs")
        parser.add_argument("--https", action="store_true", help="print an https link; needs --host")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the link on a line of its own."""
        user = self._user(options["email"])
        secret = account_actions.make_signin_token(user)
        self.stdout.write(self._site(options) + reverse("accounts:sign_in_link", kwargs={"token": secret}))

    def _site(self, options: dict[str, Any]) -> str:
        """Return scheme, host and port: as asked, as SCHEDSCOPE_ORIGINS says, or as the running server noted them."""
        if not options["host"] and not options["port"]:
            if settings.ORIGINS:
                return str(settings.ORIGINS[0])
            return settings.DATA_FOLDER.address().rstrip("/")
        scheme, usual_port = ("https", 443) if options["https"] else ("http", 80)
        host = options["host"] or "127.0.0.1"
        host = f"[{host}]" if ":" in host else host
        port = options["port"] or (usual_port if options["https"] else 8000)
        return f"{scheme}://{host}" + ("" if port == usual_port else f":{port}")

    def _user(self, email: str) -> User:
        if not email:
            return account_actions.first_owner()[0]
        user = User.objects.filter(email=email.strip().lower(), is_active=True).first()
        if user is None:
            raise CommandError(f"No active user has the e-mail address {email}.")
        return user
