from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clusters", "0008_extender_answers"),
        ("runs", "0016_stand_ins"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="declared_revision",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="runs",
                to="clusters.declaredextendersrevision",
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="tape_revision",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="runs",
                to="clusters.extendertaperevision",
            ),
        ),
        migrations.AddField(
            model_name="runhead",
            name="left_tape_cycle",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="runhead",
            name="left_tape_reason",
            field=models.CharField(blank=True, max_length=500),
        ),
    ]
