from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    """By itself: PostgreSQL alters no table in the transaction that has just changed its rows."""

    dependencies = [("clusters", "0004_draft_operations")]

    operations = [
        migrations.RemoveField(model_name="draft", name="edits"),
        migrations.RemoveField(model_name="draft", name="undone"),
    ]
