"""When a controller tries again after the API server refused what it asked for (client-go default_rate_limiters.go).

The first time after 5 ms, then after twice as long each time, at most after 1,000 s; for Jobs 1 s and at most 60 s
(job_controller.go DefaultJobApiBackOff). Nothing wakes it when there is room again. Whatever else wakes it in between
tries at once; where that fails, the wait doubles too, and a try that was due before stays due. So with failures at
0, 5, 15 ms and a pod of its own bound at 20 ms, the tries are at 0, 5, 15, 20, 35 and 115 ms.
"""

from __future__ import annotations

import msgspec

FIRST_US, LONGEST_US = 5_000, 1_000_000_000
FIRST_OF_JOB_US, LONGEST_OF_JOB_US = 1_000_000, 60_000_000
_MOST_DOUBLINGS = 40


class NextTry(msgspec.Struct):
    """Failures in a row, when the next try is due (microseconds; -1: none is), the seq of the last refusal, who refuses
    in a few words, the nodes that a DaemonSet lacks pods on, and the version of what decides at the last refusal."""

    failures: int = 0
    at: int = -1
    origin: int = -1
    why: str = ""
    nodes: list[str] = []
    version: int = -1


def delay_us(kind: str, failures: int) -> int:
    """How long a controller of this kind of workload waits after a number of failures in a row."""
    first, longest = (FIRST_OF_JOB_US, LONGEST_OF_JOB_US) if kind == "Job" else (FIRST_US, LONGEST_US)
    return min(longest, first << min(failures - 1, _MOST_DOUBLINGS))


def failed(retry: NextTry, kind: str, now: int) -> None:
    """Count a failure at ``now``."""
    retry.failures += 1
    due = now + delay_us(kind, retry.failures)
    retry.at = due if retry.at <= now else min(retry.at, due)
