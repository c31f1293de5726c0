"""How large a tape may be: bytes, and how many things they make, each of which may take more than its bytes."""

from __future__ import annotations

import msgspec

MAX_TAPE_BYTES = 1 << 30
MAX_INDEX_BYTES = 1 << 30
MAX_ANSWERS_BYTES = 1 << 40
MAX_CALLS = 5_000_000
MAX_BLOCKS = 100_000
"""A block has 4,096 calls, or 16 MiB, or the calls of one attempt."""
MAX_NAMES = 20_000_000
MAX_PIECES = 50_000_000
MAX_PARTS = 10_000_000_000
MAX_PARTS_OF_BLOCK = 12_000_000
"""A block ends at 16 MiB, at 4 bytes a part; its last answer has at most a part for each 11 of its 64 MiB."""
MAX_EXTENDERS = 1_000


class TapeLimits(msgspec.Struct, frozen=True):
    """How large a tape may be: the file, what its index and its answers have when decompressed, and what they hold.

    ``max_names`` counts nodes, pods (three each), UIDs of victims, sets of nodes and faults together; ``max_pieces``
    pieces of bodies; ``max_parts`` how often answers name a piece.
    """

    max_bytes: int = MAX_TAPE_BYTES
    max_index_bytes: int = MAX_INDEX_BYTES
    max_calls: int = MAX_CALLS
    max_answers_bytes: int = MAX_ANSWERS_BYTES
    max_blocks: int = MAX_BLOCKS
    max_names: int = MAX_NAMES
    max_pieces: int = MAX_PIECES
    max_parts: int = MAX_PARTS


USUAL_LIMITS = TapeLimits()
