"""Pages of a run's past as sockets send them, decoded and written once for all who come at the same time.

After a restart, or when a class opens one run, many sockets catch up at once, and each has the same past to get.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

import msgspec

from dashboard.live import messages
from dashboard.runs.storage import recordings

if TYPE_CHECKING:
    from dashboard.live.heads import RunProgress

# A page of 2,000 seqs is about 300 kB.
KEPT_PAGES = 16

# Events of a seq never change, so an entry is right for ever: (run, first, end): events and counts as JSON.
_kept: OrderedDict[tuple[int, int, int], tuple[msgspec.Raw, msgspec.Raw]] = OrderedDict()
_lock = threading.Lock()


def page(progress: RunProgress, first: int, end: int) -> bytes:
    """Return the batch of seqs first .. end - 1, with head and state as the progress has them."""
    key, here = (progress.run_id, first, end), ((first, end), (progress.head, progress.state))
    # Held while reading: others who want the page wait for it, and a run is read by one thread at a time anyway.
    with _lock:
        encoded = _kept.pop(key, None)
        if encoded is None:
            full = messages.batch(progress.run_id, recordings.events_of(progress.run_id, first, end - 1), *here)
            encoded = (msgspec.Raw(messages.encode(full["events"])), msgspec.Raw(messages.encode(full["counts"])))
        _kept[key] = encoded
        while len(_kept) > KEPT_PAGES:
            _kept.popitem(last=False)
    return messages.encode({**messages.batch(progress.run_id, [], *here), "events": encoded[0], "counts": encoded[1]})
