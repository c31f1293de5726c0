"""manage.py create_token."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from dashboard.accounts.models import AccessToken, secret_hash
from dashboard.clusters.models import Cluster


def create(*args):
    out = StringIO()
    call_command("create_token", *args, stdout=out)
    return out.getvalue()


def test_the_secret_is_printed_on_a_line_of_its_own(owner):
    printed = create("team", "--name", "prod collector", "--scope", "collect:prod", "--expires", "30")
    secret = printed.removesuffix("\n")
    token = AccessToken.objects.get()
    assert token.secret_hash == secret_hash(secret)
    assert (token.scopes, token.made_by, token.is_of_terminal) == (["collect:prod"], None, True)
    assert token.expires_at is not None
    assert Cluster.objects.get().slug == "prod"


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["nowhere", "--name", "a", "--scope", "collect:prod"], "nowhere"),
        (["team", "--name", "a", "--scope", "prod"], "prod"),
        (["team", "--name", "a", "--scope", "collect:prod", "--expires", "0"], "3,650"),
    ],
)
def test_what_is_wrong_is_said(owner, args, named):
    with pytest.raises(CommandError, match=named):
        create(*args)
    assert not AccessToken.objects.exists()
