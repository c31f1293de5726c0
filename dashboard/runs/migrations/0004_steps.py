from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0003_preset"),
    ]

    operations = [
        migrations.RenameField(model_name="run", old_name="n_waiting", new_name="n_steps"),
        migrations.AddField(
            model_name="runhead",
            name="steps_done",
            field=models.PositiveIntegerField(default=0),
        ),
    ]
