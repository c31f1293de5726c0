"""Who had a turn at the workers last: people take turns, however much each of them asks for."""

from __future__ import annotations

from django.db import models

from dashboard.accounts.models import Workspace


class PersonTurn(models.Model):
    """A person (a user in a workspace) and the number of their latest turn, larger for later ones.

    `person` is the user's id, 0 for those who are gone.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+", db_index=False)
    person = models.BigIntegerField()
    turn = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "person"], name="turn_once_per_person")]
        indexes = [models.Index(fields=["-turn"], name="turn_latest")]

    def __str__(self) -> str:
        return f"turn {self.turn} of person {self.person}"
