"""How people wrote objects, beside their content; older objects are shown in the usual form."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clusters", "0006_revision_events"),
    ]

    operations = [
        migrations.CreateModel(
            name="ObjectText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=600)),
                ("namespace", models.CharField(blank=True, max_length=600)),
                ("name", models.CharField(max_length=600)),
                ("sha256", models.BinaryField(max_length=32)),
                ("data", models.BinaryField()),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="texts", to="clusters.cluster"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["cluster", "name"], name="object_text_name")],
            },
        ),
    ]
