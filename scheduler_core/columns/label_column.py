"""One label key of all nodes as numbers of its values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class LabelColumn:
    """One label key over all rows: ``ids`` int32[capacity] index ``values``; -1 where the label is missing."""

    def __init__(self, capacity: int) -> None:
        self.values: list[str] = []
        self.index: dict[str, int] = {}
        self.ids = np.full(capacity, -1, dtype=np.int32)

    def fill(self, rows: Sequence[int], values: Sequence[str | None]) -> None:
        """Set the values of many rows of an empty column."""
        self.values = [value for value in dict.fromkeys(values) if value is not None]
        self.index = {value: i for i, value in enumerate(self.values)}
        self.ids[rows] = [self.index.get(value, -1) for value in values]  # type: ignore[arg-type]

    def put(self, row: int, value: str | None) -> None:
        """Set the row's value; None removes the label."""
        if value is None:
            self.ids[row] = -1
            return
        value_id = self.index.get(value)
        if value_id is None:
            value_id = self.index[value] = len(self.values)
            self.values.append(value)
        self.ids[row] = value_id
