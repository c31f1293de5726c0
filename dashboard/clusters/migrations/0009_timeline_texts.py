"""The texts in which people wrote timelines; those of before are shown in the usual form."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clusters", "0008_extender_answers"),
    ]

    operations = [
        migrations.AddField(
            model_name="timelinerevision",
            name="text_sha256",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
    ]
