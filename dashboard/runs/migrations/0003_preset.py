from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0002_n_waiting"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="preset",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name="run",
            name="config_text",
            field=models.TextField(blank=True),
        ),
    ]
