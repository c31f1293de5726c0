"""Members of the workspace of an installation, with sessions, passwords and links, made by its own code."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from tests.faults.processes import manage

PASSWORD = "a password that nobody guesses"
_MAKE = """
import json
from dashboard.accounts import account_actions, actions
from dashboard.accounts.models import Member, User, Workspace
owner = Member.objects.select_related("workspace", "user").order_by("pk").first()
sessions, password = {{}}, make_password({password!r})
for name in {editors!r}:
    user = User.objects.create_user(f"{{name}}@example.org", name)
    # One hash for all: making one takes a large part of a second.
    user.password = password
    user.save()
    Member.objects.create(workspace=owner.workspace, user=user, role="editor")
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    sessions[name] = session.session_key
joining = [actions.invite(owner, address, "editor")[1] for address in {invited!r}]
signing_in = [account_actions.make_signin_token(User.objects.get(email=f"{{name}}@example.org")) for name in {linked!r}]
print(json.dumps([sessions, joining, signing_in]))
"""
_IMPORTS = """
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.backends.db import SessionStore
"""


class People(NamedTuple):
    """Session keys by name, the secrets of invitations, and those of links that sign in."""

    sessions: dict[str, str]
    joining: list[str]
    signing_in: list[str]


def make_people(environment: dict[str, str], editors: list[str], **secrets: Any) -> People:
    """Make editors with `PASSWORD`, and links: `invited` addresses, `linked` names of editors."""
    values = {"invited": [], "linked": []} | secrets
    code = _IMPORTS + _MAKE.format(editors=editors, password=PASSWORD, **values)
    return People(*json.loads(manage(environment, "shell", "--no-imports", "-c", code).splitlines()[-1]))
