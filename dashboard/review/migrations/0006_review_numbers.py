"""Gives the reviews of before numbers in the order in which they were opened, and their time of decision."""

from __future__ import annotations

from django.db import migrations, models
from django.db.models import Max


def fill(apps, schema_editor):
    Review = apps.get_model("review", "Review")
    numbers: dict[int, int] = {}
    reviews = Review.objects.select_related("run").annotate(last=Max("verdicts__given_at"))
    for review in reviews.order_by("workspace_id", "opened_at", "id"):
        number = numbers[review.workspace_id] = numbers.get(review.workspace_id, 0) + 1
        review.number = number
        review.about = review.run.name or f"run {review.run.number}"
        if review.state != "open":
            review.decided_at = review.last or review.touched_at
        review.save(update_fields=["number", "about", "decided_at"])


class Migration(migrations.Migration):
    dependencies = [("review", "0005_subjects")]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="review",
            constraint=models.UniqueConstraint(fields=("workspace", "number"), name="review_number_once"),
        ),
        migrations.AddConstraint(
            model_name="review",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "run")), fields=("run",), name="review_one_of_a_run"
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
                    ),
                    models.Q(
                        ("base", None), ("config", None), ("draft", None), ("kind", "comparison"), ("revision", None)
                    ),
                    models.Q(("config", None), ("kind", "cluster"), ("other_run", None), ("run", None)),
                    models.Q(
                        ("base", None), ("draft", None), ("kind", "configuration"), ("other_run", None), ("run", None)
                    ),
                    _connector="OR",
                ),
                name="review_columns_of_its_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="viewedfinding",
            constraint=models.UniqueConstraint(fields=("review", "member", "key"), name="viewed_once_in_a_review"),
        ),
        migrations.AddConstraint(
            model_name="viewedfinding",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("review__isnull", False), ("run__isnull", True)),
                    models.Q(("review__isnull", True), ("run__isnull", False)),
                    _connector="OR",
                ),
                name="viewed_of_one_thing",
            ),
        ),
    ]
