"""Squares: each place is in one path, by how many of its devices are in use."""

from __future__ import annotations

import json

from dashboard.devices.squares import COLUMNS, SquaresView
from scheduler_core.explain.devices.model import Squares


def view(used, flawed=None, fits=(), chosen=()):
    n = len(used)
    names = tuple(f"n-{i}" for i in range(n))
    squares = Squares(names, tuple(used), tuple(4 - u for u in used), (4,) * n, tuple(flawed or [False] * n), fits)
    return SquaresView(squares, set(chosen), "/here/")


def test_levels_of_use_are_paths():
    shown = view([0, 1, 3, 4, 4])
    assert [(look, path.count("M")) for look, path in shown.paths] == [("u0", 1), ("u1", 1), ("u3", 1), ("u4", 2)]
    assert json.loads(shown.data)[0] == ["n-0", "n-1", "n-2", "n-3", "n-4"]


def test_flaws_and_choices_are_frames_and_fits_are_colours():
    shown = dict(view([0, 4], [True, False], chosen=["n-1"]).paths)
    assert (shown["flawed"].count("M"), shown["chosen"].count("M")) == (1, 1)
    assert set(dict(view([0, 4], [True, False], (True, False)).paths)) == {"fits", "not"}


def test_rows_are_as_long_as_the_picture_is_wide():
    shown = view([0] * (COLUMNS + 1))
    assert (shown.width, shown.height) == (COLUMNS * 10, 20)
