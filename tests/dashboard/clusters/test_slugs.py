"""Addresses made from names: free ones, without words that addresses use themselves."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster
from dashboard.clusters.slugs import RESERVED, free_slug

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Prod EU", "prod-eu"), ("a_b", "a-b"), ("日本", "cluster"), ("x" * 60, "x" * 40), ("--", "cluster")],
    ids=["words", "underscores", "no letter of use", "long", "nothing left"],
)
def test_a_slug_is_made_of_what_addresses_may_hold(name, slug):
    assert free_slug(Cluster.objects.all(), name, "cluster") == slug


def test_a_slug_that_is_taken_gets_a_number(workspace):
    for slug in ("prod", "prod-2"):
        Cluster.objects.create(workspace=workspace, name=slug, slug=slug)
    assert free_slug(Cluster.objects.all(), "Prod", "cluster") == "prod-3"


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_words_of_addresses_are_no_slugs(word):
    assert free_slug(Cluster.objects.all(), word, "cluster") == f"{word}-2"
