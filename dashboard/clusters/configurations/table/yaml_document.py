"""A YAML text as a document that is written back with its comments, its quotes and its indentation."""

from __future__ import annotations

import io
import re
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError

# A key, comments and empty lines, and the first entry of a list: (indentation of the key, of the dash, behind it).
_LIST_BELOW_KEY = re.compile(
    r"^( *)(?:- )?[\w.\"'-]+:[ ]*(?:#[^\n]*)?\n(?:[ ]*#[^\n]*\n|[ ]*\n)*( *)-( +)\S", re.MULTILINE
)
_START = re.compile(r"^---", re.MULTILINE)
_WIDTH = 1 << 20
# Texts are read as YAML 1.1, so that `on` and `y` are quoted where they are names; the writer then names the version.
_DIRECTIVE = "%YAML 1.1\n---\n"


class Unreadable(Exception):
    """A text that is valid and yet cannot be written back; the message says why."""


class YamlDocument:
    """The one mapping of a text, empty where the text has none. Raises Unreadable."""

    def __init__(self, text: str):
        self._yaml = _reader(text)
        self._names_version = "%YAML" in text
        try:
            root = self._yaml.load(text)
        except (YAMLError, ValueError, RecursionError) as problem:
            raise Unreadable(str(problem).splitlines()[0]) from None
        if root is not None and not isinstance(root, dict):
            raise Unreadable("the text is not a mapping")
        self.root: Any = CommentedMap() if root is None else root

    def text(self) -> str:
        """Return the document as YAML."""
        out = io.StringIO()
        self._yaml.dump(self.root, out)
        written = out.getvalue()
        start = "---\n" if self._yaml.explicit_start else ""
        return written if self._names_version else written.replace(_DIRECTIVE, start, 1)


def mapping_in(parent: Any, key: Any) -> CommentedMap:
    """Return the mapping at a key, which is made where it is missing or empty."""
    if not isinstance(parent.get(key), dict):
        parent[key] = CommentedMap()
    return parent[key]


def list_in(parent: Any, key: Any) -> CommentedSeq:
    """Return the list at a key, which is made where it is missing or empty."""
    if not isinstance(parent.get(key), list):
        parent[key] = CommentedSeq()
    return parent[key]


def plain(value: Any) -> Any:
    """Return a value as the document holds it."""
    if isinstance(value, dict):
        out = CommentedMap()
        for key, one in value.items():
            out[key] = plain(one)
        return out
    return CommentedSeq([plain(one) for one in value]) if isinstance(value, list) else value


def _reader(text: str) -> YAML:
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = _WIDTH
    yaml.version = (1, 1)
    offset, sequence = _indentation(text)
    yaml.indent(mapping=2, sequence=sequence, offset=offset)
    yaml.explicit_start = bool(_START.search(text))
    return yaml


def _indentation(text: str) -> tuple[int, int]:
    """Return how far the dash of a list stands behind its key, and its entries behind the key."""
    match = _LIST_BELOW_KEY.search(text)
    if match is None:
        return 0, 2
    offset = max(len(match[2]) - len(match[1]), 0)
    return offset, offset + 1 + len(match[3])
