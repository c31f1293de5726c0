from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0015_left_out"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="stand_ins",
            field=models.JSONField(default=dict),
        ),
    ]
