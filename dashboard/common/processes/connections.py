"""What is raised where the broker or Redis cannot be reached."""

from __future__ import annotations


def connection_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of a broker or a Redis that is away, for an ``except``, which asks once something failed.

    Imported then: redis takes a tenth of a process's start, and the embedded set-up has none.
    """
    from kombu.exceptions import OperationalError
    from redis.exceptions import RedisError

    return OperationalError, RedisError, OSError
