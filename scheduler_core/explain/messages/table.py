"""The one table of texts by version.

Sources: recordings of v1.33.10, v1.34.1, v1.34.8, v1.35.6 and v1.36.2; the sources of v1.31 and v1.32, and of later
versions for texts that the recordings do not have (``recorded`` False). Older texts stand beside today's. The two
plugins of examples/ follow kubernetes-sigs/scheduler-plugins.
"""

from __future__ import annotations

from scheduler_core.explain.messages.filter_texts import OF_FILTERS
from scheduler_core.explain.messages.other_texts import OTHERS
from scheduler_core.explain.messages.texts import TextTable

TEXTS = TextTable((*OF_FILTERS, *OTHERS))
