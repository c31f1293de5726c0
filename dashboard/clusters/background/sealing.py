"""Files that wait for a worker lie encrypted in the database, since what is secret in them is not masked yet.

A file is read in pieces, so that a web process never has it whole: each piece is compressed, then encrypted
(AES-256-GCM) under a key made from SCHEDSCOPE_SECRET_KEY, which the database does not hold. A backup of the database
therefore holds no secret of a file that waits. Task, file and number are authenticated with each piece: a piece that is
moved, or is another task's, is not opened.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import zstandard
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from dashboard.clusters.models import BackgroundTask, SealedPiece
from dashboard.clusters.uploads.opening import Upload
from dashboard.common.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.clusters.uploads.sent_files import SentFile

PIECE_BYTES = 4 << 20
NONCE_BYTES = 12
_PURPOSE = b"schedscope: files that wait for a worker"


def seal(task: BackgroundTask, files: Iterable[SentFile]) -> None:
    """Store the files of a task, a piece at a time; each is a short transaction of its own."""
    cipher, compressor = _cipher(), zstandard.ZstdCompressor(level=1)
    for n, file in enumerate(files):
        for number, piece in enumerate(file.pieces(PIECE_BYTES)):
            nonce = secrets.token_bytes(NONCE_BYTES)
            data = nonce + cipher.encrypt(nonce, compressor.compress(piece), _place(task.pk, n, number))
            SealedPiece.objects.create(task=task, file=n, number=number, name=file.name, data=data)


def unsealed(task: BackgroundTask) -> list[Upload]:
    """Return the files of a task, in their order; raises Problem where this process has another key."""
    cipher, decompressor = _cipher(), zstandard.ZstdDecompressor()
    names: dict[int, str] = {}
    data: dict[int, list[bytes]] = {}
    for piece in task.pieces.iterator(chunk_size=1):
        sealed = bytes(piece.data)
        place = _place(task.pk, piece.file, piece.number)
        try:
            compressed = cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], place)
        except InvalidTag:
            raise Problem(
                "The worker cannot open the files: its SCHEDSCOPE_SECRET_KEY is not that of the web server. "
                "Give all processes the same one, and send the files again."
            ) from None
        names[piece.file] = piece.name
        data.setdefault(piece.file, []).append(decompressor.decompress(compressed, max_output_size=PIECE_BYTES))
    return [Upload(name, b"".join(data.pop(n))) for n, name in names.items()]


def _cipher() -> AESGCM:
    return AESGCM(HKDF(SHA256(), 32, None, _PURPOSE).derive(settings.SECRET_KEY.encode()))


def _place(task: int, file: int, number: int) -> bytes:
    return f"{task}/{file}/{number}".encode()
