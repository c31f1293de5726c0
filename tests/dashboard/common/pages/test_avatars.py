"""Letters and colours of people."""

from __future__ import annotations

import pytest

from dashboard.common.pages.avatars import TONES, avatar_tone, initials


@pytest.mark.parametrize(
    ("label", "letters"),
    [
        *(
            ("Mara Rossi", "MR"),
            ("mara.rossi@example.org", "MR"),
            ("owner@localhost", "OL"),
            ("Asha", "A"),
            ("李小龙", "李"),
        ),
        *(("<b>Ben</b> (x)", "BX"), ("\u202e\u200b", "?"), ("", "?"), ("- . -", "?")),
    ],
)
def test_initials_are_letters_whatever_the_name_holds(label, letters):
    assert initials(label) == letters


def test_people_of_a_small_team_have_colours_of_their_own():
    class Person:
        label = "Same name"

        def __init__(self, pk):
            self.pk = pk

    assert len({avatar_tone(Person(pk)) for pk in range(40, 40 + len(TONES))}) == len(TONES)
    assert avatar_tone("somebody") == avatar_tone("somebody")
