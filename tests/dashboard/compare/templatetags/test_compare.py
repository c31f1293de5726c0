"""Tags of the comparison's templates."""

from __future__ import annotations

import pytest

from dashboard.compare.templatetags import compare as tags

pytestmark = pytest.mark.django_db


def test_a_run_leads_to_the_choice_of_another_or_to_the_comparison(run, other):
    assert tags.compare_url(run) == f"/w/team/compare/?a={run.number}"
    assert tags.compare_url(run, other) == f"/w/team/compare/?a={run.number}&b={other.number}"


def test_another_run_is_chosen_for_one_side_and_the_other_side_stays(asked, run, other):
    assert tags.choose_url(asked(b_seq=10), "A") == f"/w/team/compare/?b={other.number}&b_seq=10"
    assert tags.choose_url(asked(), "B") == f"/w/team/compare/?a={run.number}"


def test_keys_are_written_as_declared():
    assert 'data-key="n"' in tags.compare_key("difference")
