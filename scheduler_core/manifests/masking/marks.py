"""Words without which a text holds no secret: a look for them costs a small part of reading the text."""

from __future__ import annotations

import re

from scheduler_core.manifests.kinds.registry import KINDS, SHARED_WORDS, api_group
from scheduler_core.manifests.masking.secrets import MASK

# Without one of these words in its text an object of a kind that is read has nothing to mask; an escape may hide one.
MARKS = tuple(
    word.encode()
    for word in (
        *('"env"', '"args"', '"command"', '"httpheaders"', "\\u", MASK),
        *("pass", "secret", "token", "credential", "cert", "apikey", "api-key", "api_key", "api.key", "access"),
        *("private", "last-applied", "-----begin ", "eyj", "akia", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xox", "@"),
    )
)
# Ways of writing that may hide a word, and the words of fields that are masked whatever their value.
_HIDING = tuple(
    word.encode() for word in ("env", "args", "command", "\\", "&", "*", "!", "<<", "httpheaders", "#", "%")
)
_WORDED = (b"annotations", b"parameters", b"volumeattributes", b"options", b"resourceclaim")
_KINDS = re.compile(rb"""kind["']?\s*:\s*["']?([^\s"',}\]]*)""")
_VERSIONS = re.compile(rb"""apiVersion["']?\s*:\s*["']?([^\s"',}\]]*)""")

_READ = {"List", *KINDS, *(f"{kind}List" for kind in KINDS)} - SHARED_WORDS
_GROUPS = {kind.group for kind in KINDS.values()}


def holds_no_secret(data: bytes) -> bool:
    """Whether no word in the text could belong to a secret, and all objects are of kinds that are read."""
    # Most files are recognised by these, without a copy: pods by a field, nodes by the digests of their images.
    if any(mark in data for mark in _HIDING[:3]) or (b"@" in data and b"annotations" in data):
        return False
    small = data.lower()
    if any(mark in small for mark in _HIDING):
        return False
    # Only in these fields does a word make a value a secret.
    if any(field in small for field in _WORDED) and any(mark in small for mark in MARKS):
        return False
    kinds = {kind.decode("utf-8", "replace") for kind in set(_KINDS.findall(data))}
    groups = {api_group(version.decode("utf-8", "replace")) for version in set(_VERSIONS.findall(data))}
    return bool(kinds) and kinds <= _READ and groups <= _GROUPS
