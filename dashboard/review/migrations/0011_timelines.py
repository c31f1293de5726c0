from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import dashboard.review.models.reviews


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_tour_is_done"),
        ("clusters", "0012_timeline_drafts"),
        ("review", "0010_drafts_and_suggestions"),
        ("runs", "0021_change_lists"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="review",
            name="review_columns_of_its_kind",
        ),
        migrations.AddField(
            model_name="review",
            name="timeline",
            field=models.ForeignKey(
                null=True,
                on_delete=dashboard.review.models.reviews.keep_decided,
                related_name="+",
                to="clusters.timeline",
            ),
        ),
        migrations.AddField(
            model_name="review",
            name="timeline_draft",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="clusters.timelinedraft"
            ),
        ),
        migrations.AlterField(
            model_name="review",
            name="kind",
            field=models.CharField(
                choices=[
                    ("run", "run"),
                    ("comparison", "comparison"),
                    ("cluster", "change of a cluster"),
                    ("configuration", "change of a configuration"),
                    ("timeline", "change of a timeline"),
                ],
                default="run",
                max_length=14,
            ),
        ),
        migrations.AddConstraint(
            model_name="review",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("base", None),
                        ("config", None),
                        ("draft", None),
                        ("kind", "run"),
                        ("other_run", None),
                        ("revision", None),
                        ("timeline", None),
                    ),
                    models.Q(
                        ("base", None),
                        ("config", None),
                        ("draft", None),
                        ("kind", "comparison"),
                        ("revision", None),
                        ("timeline", None),
                    ),
                    models.Q(
                        ("config", None), ("kind", "cluster"), ("other_run", None), ("run", None), ("timeline", None)
                    ),
                    models.Q(
                        ("base", None),
                        ("draft", None),
                        ("kind", "configuration"),
                        ("other_run", None),
                        ("run", None),
                        ("timeline", None),
                    ),
                    models.Q(
                        ("base", None),
                        ("config", None),
                        ("draft", None),
                        ("kind", "timeline"),
                        ("other_run", None),
                        ("revision", None),
                        ("run", None),
                    ),
                    _connector="OR",
                ),
                name="review_columns_of_its_kind",
            ),
        ),
    ]
