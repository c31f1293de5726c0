from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_tour"),
    ]

    operations = [
        migrations.AddField(
            model_name="member",
            name="tour_is_done",
            field=models.BooleanField(default=False),
        ),
    ]
