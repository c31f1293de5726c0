"""`manage.py migrate`: Django's own, but for a new database, whose tables are made from the models."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from dashboard.common.database.new_tables import make_tables

# What asks for something else than to bring all apps to their last migration.
OTHERWISE = ("app_label", "migration_name", "plan", "check_unapplied", "fake", "fake_initial", "run_syncdb", "prune")


class Command(migrate.Command):
    """Applies the migrations that are missing."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the tables of a new database; then go on as Django does, which sends its signals."""
        if not any(options[name] for name in OTHERWISE):
            made = make_tables(connections[options["database"]])
            if made and options["verbosity"] >= 1:
                self.stdout.write(f"The database is new: made its {made} tables from the models.")
        super().handle(*args, **options)
