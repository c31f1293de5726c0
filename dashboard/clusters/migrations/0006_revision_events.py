"""Events of the real scheduler beside a revision's objects; revisions from before have none."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clusters", "0005_drop_draft_edits"),
    ]

    operations = [
        migrations.AddField(
            model_name="revision",
            name="events",
            field=models.BinaryField(default=b"", max_length=32),
        ),
    ]
