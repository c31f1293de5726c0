"""A frame between two plugin calls: the answers of the plugins called by then."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np

from scheduler_core.recording import Frame
from scheduler_core.recording.vocabulary import PASSED


class CalledPlugins(NamedTuple):
    """The numbers of filter and score plugins of a frame that were called; None: all."""

    filters: int | None = None
    scores: int | None = None


def known_frame(frame: Frame, columns: CalledPlugins) -> Frame:
    """Return the frame with the first so many filter and score plugins.

    A row that only a later filter refused has passed those before it, and counts as fitting.
    """
    filters, scores = columns
    if filters is not None and filters < len(frame.filter_plugins):
        names = frame.filter_plugins[:filters]
        frame = msgspec.structs.replace(
            frame,
            filter_plugins=names,
            codes=frame.codes[:filters],
            reasons=frame.reasons[:filters],
            decisive=np.where(frame.decisive >= filters, np.int16(PASSED), frame.decisive),
            overlay=[entry for entry in frame.overlay if entry.plugin in names],
        )
    if scores is None or scores >= len(frame.score_plugins):
        return frame
    return msgspec.structs.replace(
        frame,
        score_plugins=frame.score_plugins[:scores],
        weights=frame.weights[:scores],
        normalizations=frame.normalizations[:scores],
        raw=frame.raw[:scores],
    )
