from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0007_outcomes"),
    ]

    operations = [
        migrations.CreateModel(
            name="Preparation",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "run_id", "kind", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "kind",
                    models.CharField(choices=[("outcomes", "outcomes"), ("events", "events")], max_length=20),
                ),
                ("asked_at", models.DateTimeField(null=True)),
                ("claimed_at", models.DateTimeField(null=True)),
                ("head", models.BigIntegerField(default=0)),
                ("seq", models.BigIntegerField(null=True)),
                ("seconds", models.FloatField(default=0.0)),
                ("error", models.TextField(default="")),
                (
                    "run",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="runs.run",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="EventIndexPiece",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "run_id", "first_seq", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("first_seq", models.BigIntegerField()),
                ("end_seq", models.BigIntegerField()),
                ("version", models.PositiveSmallIntegerField()),
                ("data", models.BinaryField()),
                (
                    "run",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="runs.run",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
    ]
