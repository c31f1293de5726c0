"""Tests of many inputs: several seeds in one test, since what pytest does around a test takes longer than many; and
those of the inputs, or how many of them, that `make test` leaves to `make test-all`."""

from __future__ import annotations

import functools
import inspect
import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence


# Set by `make test-all`.
ALL = os.environ.get("TEST_ALL") == "yes"


def how_many(short: int, long: int) -> int:
    """Return how many inputs a test tries that makes them itself: in `make test`, and in `make test-all`."""
    return long if ALL else short


def long_after(values: Sequence[Any], short: int) -> list[Any]:
    """Return the values as parameters of a test, all but the first few of them left to `make test-all`."""
    return long_but(values, values[:short])


def long_but(values: Iterable[Any], short: Collection[Any]) -> list[Any]:
    """Return the values as parameters of a test, all but those of `short` left to `make test-all`."""
    return [value if value in short else pytest.param(value, marks=pytest.mark.long) for value in values]


def each_seed(
    seeds: Sequence[int], together: int, short: int | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test, which takes `seed`, for each of the seeds, `together` in one test; an error says of which seed it is.

    `short`: how many of these tests `make test` has, all of them where it is left out.
    """
    groups = [seeds[i : i + together] for i in range(0, len(seeds), together)]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def of_group(seed_group: Sequence[int], **fixtures: Any) -> None:
            for seed in seed_group:
                try:
                    test(seed=seed, **fixtures)
                except Exception as error:
                    error.add_note(f"seed {seed}")
                    raise

        signature = inspect.signature(test)
        others = [one for name, one in signature.parameters.items() if name != "seed"]
        group = inspect.Parameter("seed_group", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        of_group.__signature__ = signature.replace(parameters=[group, *others])  # type: ignore[attr-defined]
        ids = [f"{group[0]}-{group[-1]}" for group in groups]
        values = groups if short is None else long_after(groups, short)
        return pytest.mark.parametrize("seed_group", values, ids=ids)(of_group)

    return decorate
