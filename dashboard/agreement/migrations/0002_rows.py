"""Pods of comparisons in pieces of their own. Comparisons from before are made anew when their page is opened."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


def forget(apps, schema_editor):
    """Take away what was computed; what was asked for and logs that were pasted stay."""
    results = apps.get_model("agreement", "AgreementResult").objects.using(schema_editor.connection.alias)
    results.update(data=None, error="", engine_version="", done=0, total=0)


class Migration(migrations.Migration):
    dependencies = [
        ("agreement", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="AgreementRows",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("part", models.CharField(max_length=40)),
                ("number", models.PositiveIntegerField()),
                ("data", models.BinaryField()),
                (
                    "result",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="agreement.agreementresult",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("result", "part", "number"), name="agreement_rows_once")
                ],
            },
        ),
        migrations.RunPython(forget, migrations.RunPython.noop),
    ]
