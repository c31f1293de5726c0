"""`manage.py migrate`: Django's own, but for a new database, whose tables are made from the models."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.core.management.sql import emit_pre_migrate_signal
from django.db import connections

from dashboard.common.database.preparing import has_tables, make_tables
from dashboard.common.processes.marks import mark

# What asks for something else than to bring all apps to their last migration.
OTHERWISE = ("app_label", "migration_name", "plan", "check_unapplied", "fake", "fake_initial", "run_syncdb", "prune")


class Command(migrate.Command):
    """Applies the migrations that are missing."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the tables of a new database; then go on as Django does, which sends its signals."""
        connection = connections[options["database"]]
        if not any(options[name] for name in OTHERWISE) and not has_tables(connection):
            # Django says it once more below; what listens has nothing to do for a database with tables.
            emit_pre_migrate_signal(options["verbosity"], options["interactive"], connection.alias)
            made = make_tables(connection)
            if options["verbosity"] >= 1:
                self.stdout.write(f"The database is new: made its {made} tables from the models.")
        super().handle(*args, **options)

    def migration_progress_callback(self, action: str, migration: Any = None, fake: bool = False) -> None:
        """Report each finished migration to the process that waits for the start."""
        super().migration_progress_callback(action, migration, fake)
        if action == "apply_success":
            mark(f"migration {migration}")
