"""Many rows in one statement, in the order of the model's columns."""

from __future__ import annotations

import pytest

from dashboard.runs.models import PluginTraceback
from dashboard.runs.storage import bulk

pytestmark = pytest.mark.django_db


def test_columns_stand_in_the_order_of_the_fields_without_composite_keys():
    fields = [field.name for field in PluginTraceback._meta.concrete_fields if field.column]
    assert len(bulk.column_names(PluginTraceback)) == len(fields)
    assert bulk.column_names(PluginTraceback)[0] == "run_id"


def test_rows_are_inserted_as_they_are(launch):
    run = launch(1, 1)
    values = {"run_id": run.pk, "seq": 3, "text": 'a "b" %s'}
    row = [values.get(name, "") for name in bulk.column_names(PluginTraceback)]
    bulk.insert(PluginTraceback, [row])
    assert list(PluginTraceback.objects.values_list(*bulk.column_names(PluginTraceback))) == [tuple(row)]


def test_no_rows_are_no_statement(django_assert_num_queries):
    with django_assert_num_queries(0):
        bulk.insert(PluginTraceback, [])
