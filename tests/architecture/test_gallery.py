"""Pictures are taken by hand, so nothing else would notice that a state of a page cannot be shown any more."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.gallery.__main__ import LISTS
from tests.gallery.pictures import numbered

# Each takes a minute or two of a processor.
LONGEST_SECONDS = 900


def test_names_of_pictures_sort_as_their_states_stand():
    titles = [title for title, _ in numbered("reviews", {"zero": print, "a": print})]
    assert titles == ["reviews-01-zero", "reviews-02-a"]


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium to take pictures with")
@pytest.mark.parametrize("name", LISTS)
def test_each_state_of_a_list_is_shown_without_an_error(name, tmp_path):
    command = [sys.executable, "-m", "tests.gallery", name, "--into", str(tmp_path), "--widths", "1280"]
    done = subprocess.run(
        [*command, "--schemes", "light", "--axe"], capture_output=True, text=True, timeout=LONGEST_SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
    assert f"{len(list(tmp_path.glob('*.png')))} pictures" in done.stdout
