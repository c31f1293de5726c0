"""Names and uids of objects that controllers make: they look as Kubernetes makes them up, and repeat with the run.

Upstream draws five letters of a fixed alphabet (k8s.io/apiserver names.SimpleNameGenerator); here they are a hash of
the owner, the number of the object among those that it made, and the run's seed.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from uuid import UUID

ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
LONGEST_BASE = 58
SUFFIX_LENGTH = 5


def letters(number: int, length: int = SUFFIX_LENGTH) -> str:
    """``length`` letters of the alphabet that stand for the number."""
    out: list[str] = []
    for _ in range(length):
        number, index = divmod(number, len(ALPHABET))
        out.append(ALPHABET[index])
    return "".join(out)


def generated_name(base: str, owner: str, number: int, seed: int, is_taken: Callable[[str], bool]) -> str:
    """``base-`` with a suffix, the first that is free; the base is cut as the API server cuts it."""
    return name_after(f"{base}-", owner, number, seed, is_taken)


def name_after(prefix: str, owner: str, number: int, seed: int, is_taken: Callable[[str], bool]) -> str:
    """The same for a ``generateName``, which need not end with a dash."""
    stem, attempt = prefix[:LONGEST_BASE], 0
    while True:
        name = stem + letters(_hash("name", owner, number, seed, attempt))
        if not is_taken(name):
            return name
        attempt += 1


def generated_uid(owner: str, number: int, seed: int) -> str:
    """A uid of the form that Kubernetes gives (UUID version 4)."""
    return str(UUID(int=_hash("uid", owner, number, seed, 0), version=4))


def _hash(purpose: str, owner: str, number: int, seed: int, attempt: int) -> int:
    text = f"{purpose}\0{owner}\0{number}\0{seed}\0{attempt}"
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(), "big")
