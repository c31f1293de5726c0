"""Members from before the tour: they are what they were, at no step, and the first page opens for them."""

from __future__ import annotations

import json

import pytest

from tests.faults.processes import embedded_environment, manage, prepare

pytestmark = pytest.mark.slow

BEFORE = """
from django.core.management import call_command
from django.db import connection

call_command("migrate", "accounts", "0004", verbosity=0)
with connection.cursor() as cursor:
    names = [column.name for column in connection.introspection.get_table_description(cursor, "accounts_member")]
assert not [name for name in names if name.startswith("tour")]
"""
AFTER = """
import json
from django.conf import settings
from django.core.management import call_command
from django.test import Client

call_command("migrate", verbosity=0)

from dashboard.accounts.models import Member

settings.ALLOWED_HOSTS = ["testserver"]
member = Member.objects.get()
client = Client()
client.force_login(member.user)
statuses = [client.get("/w/default/").status_code, client.post("/w/default/tour/leave").status_code]
print(json.dumps([member.role, member.tour_step, member.tour_is_shown, statuses]))
"""


@pytest.mark.long
def test_members_of_before_are_at_no_step(tmp_path):
    environment = prepare(embedded_environment(tmp_path / "var"))
    manage(environment, "shell", "--no-imports", "-c", BEFORE)
    answer = json.loads(manage(environment, "shell", "--no-imports", "-c", AFTER).splitlines()[-1])
    assert answer == ["admin", 0, False, [200, 302]]
