from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0019_asked_by"),
    ]

    operations = [
        migrations.AlterField(
            model_name="runfigure",
            name="family",
            field=models.CharField(
                choices=[
                    ("incoming", "pods put into a queue: queue, event"),
                    ("attempts", "cycles: result, profile"),
                    ("point", "durations of a point: extension point, status, profile"),
                    ("plugin", "durations of a plugin: plugin, extension point, status"),
                    ("tries", "attempts of bound pods"),
                    ("sli", "virtual time from a pod's first entry into activeQ until it is bound: attempts"),
                    ("pending", "pods in a queue at the head: queue"),
                    ("victims", "victims of a preemption"),
                    ("preempts", "decisions of preemption"),
                ],
                max_length=8,
            ),
        ),
    ]
