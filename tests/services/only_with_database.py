"""A plugin of pytest that leaves out tests which say nothing about a database: they open none, or ask it nothing new.

What writes, locks, counts, sorts, reads JSON or has SQL of its own is never left out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

FIXTURES = {"db", "transactional_db"}
TESTS = Path(__file__).parents[1] / "dashboard"

RECORDING = "computes from a recording, whose chunks and rows other tests of the debugger read"
REFUSED = "is refused before anything but the membership is read"
TEXT = "is about the text of an answer whose rows other tests ask for"
SAME = "sends no statement that tests of other files do not send, as the SQL of all of them said when it was compared"
SNAPSHOTS = "is about snapshots of rows, which tests on SQLite alone take"
LEFT_OUT = {
    "debugger/inputs": RECORDING,
    "debugger/panels/cluster_map": RECORDING,
    "debugger/panels/cycle": RECORDING,
    "debugger/panels/lanes": RECORDING,
    "debugger/panels/matrix": RECORDING,
    "debugger/panels/test_missing.py": RECORDING,
    "debugger/panels/test_preemption.py": RECORDING,
    "debugger/panels/test_transport.py": RECORDING,
    "debugger/panels/test_untried.py": RECORDING,
    "debugger/panels/why": RECORDING,
    "debugger/why/node": RECORDING,
    "debugger/cursor/test_cursor.py": RECORDING,
    "debugger/cursor/test_grains.py": RECORDING,
    "debugger/test_calls.py": RECORDING,
    "debugger/test_made_pods.py": RECORDING,
    "debugger/test_map_views.py": RECORDING,
    "accounts/test_roles.py::test_reads_refuse_post": REFUSED,
    "accounts/test_roles.py::test_writes_refuse_get": REFUSED,
    "clusters/test_roles.py::test_reads_refuse_post": REFUSED,
    "clusters/test_roles.py::test_writes_refuse_get": REFUSED,
    "debugger/test_moment.py::test_bad_cursor_is_a_clear_400": REFUSED,
    "review/test_views.py::test_addresses_that_cannot_be": REFUSED,
    "review/test_roles.py::test_the_other_method_is_refused": REFUSED,
    "runs/launch/test_forms.py::test_bad_input_is_refused_at_its_field": REFUSED,
    "runs/list/test_views.py::test_bad_filters_are_refused_with_words": REFUSED,
    "runs/list/test_views.py::test_writes_refuse_get": REFUSED,
    "runs/test_presets.py::test_unknown_presets_and_policies_are_refused_at_their_field": REFUSED,
    "clusters/test_pages.py::test_pages_obey_the_strict_policy_for_editors_and_viewers": TEXT,
    "common/http/test_caching.py": TEXT,
    "test_row_snapshots.py": SNAPSHOTS,
    "agreement/test_why_views.py": SAME,
    "answers/answering/test_rivals.py": SAME,
    "answers/answering/test_trials.py": SAME,
    "answers/answering/test_would.py": SAME,
    "answers/test_computing.py": SAME,
    "answers/test_panel.py": SAME,
    "clusters/drafts/test_views.py": SAME,
    "clusters/map/test_views.py": SAME,
    "clusters/tables/test_views.py": SAME,
    "clusters/templatetags": SAME,
    "debugger/cursor/test_selection.py": SAME,
    "debugger/cursor/test_state_cache.py": SAME,
    "debugger/events/test_filters.py": SAME,
    "debugger/panels/scrubber/test_density.py": SAME,
    "debugger/panels/test_pod_history.py": SAME,
    "debugger/test_answer_views.py": SAME,
    "debugger/test_object_views.py": SAME,
    "debugger/test_state_views.py": SAME,
    "debugger/test_timeline_views.py": SAME,
    "debugger/test_views.py": SAME,
    "debugger/why/test_asked.py": SAME,
    "debugger/why/test_own_change.py": SAME,
    "fit/test_views.py": SAME,
    "home/test_needs_look.py": SAME,
    "query/test_field_views.py": SAME,
    "runs/launch/test_choices.py": SAME,
}
"""{folder, file or test under tests/dashboard: why it says nothing about a database}."""
SLOW_TOO = {
    "clusters/drafts/test_saving.py",
    "clusters/drafts/test_three_people.py",
    "clusters/drafts/test_writers_at_once.py",
    "query/test_rows.py",
    "runs/breakpoints/test_exact_stops.py",
    "runs/branches/test_copying.py",
    "runs/branches/test_settling.py",
    "runs/test_committing.py",
}
"""Files whose slow tests run on PostgreSQL as well: several people at once, locks, and generated queries, whose texts,
patterns and nulls it compares by rules of its own. Of random stops of runs one seed does."""
RANDOM_STOPS = "runs/breakpoints/test_exact_stops.py"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep tests that say something about the database."""
    left_out = [item for item in items if not opens_database(item) or is_left_out(item) or is_too_slow(item)]
    chosen = set(items) - set(left_out)
    items[:] = [item for item in items if item in chosen]
    config.hook.pytest_deselected(items=left_out)


def opens_database(item: pytest.Item) -> bool:
    return item.get_closest_marker("django_db") is not None or bool(FIXTURES & set(getattr(item, "fixturenames", ())))


def is_left_out(item: pytest.Item) -> bool:
    """Return whether LEFT_OUT has the test."""
    path = item.path.relative_to(TESTS)
    places = {path.as_posix(), *map(Path.as_posix, path.parents)}
    return not LEFT_OUT.keys().isdisjoint(places | {f"{path.as_posix()}::{item.originalname}"})


def is_too_slow(item: pytest.Item) -> bool:
    """Return whether the test is a slow one that does not run here."""
    path = item.path.relative_to(TESTS).as_posix()
    if path == RANDOM_STOPS and "random" in item.name and "2" not in item.name:
        return True
    return item.get_closest_marker("slow") is not None and path not in SLOW_TOO
