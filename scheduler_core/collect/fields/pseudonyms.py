"""Pseudonyms: the same word gets the same one everywhere, by HMAC with a key that never leaves.

Names are taken word by word, so that what is built of names stays so: the pod ``web-5d4f8-x7k2p`` of the ReplicaSet
``web-5d4f8`` of the Deployment ``web``, the claim ``data-db-0`` of the pod ``db-0`` (whose last number stays). Label
values are names too; numbers, truth values, and values of labels that say what a machine is (such as its architecture)
stay, as do the names that each cluster has.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

from scheduler_core.manifests.kinds.context import BUILT_IN_CLASSES

KEY_BYTES = 32
_LETTERS = "bcdfghjklmnpqrstvwxz"
_SIGNS = _LETTERS + "2456789"
_SHORT, _LONG, _LONGER = 4, 6, 12
_LONGEST_LABEL, _LONGEST_NAME = 63, 253
_WORD = re.compile(r"[A-Za-z0-9]+")
_ORDINAL = re.compile(r"-(\d{1,5})$", re.ASCII)
_NUMBER = re.compile(r"\d+|true|false", re.ASCII)
_KEPT_NAMES = frozenset(
    (
        *("", "default", "kube-system", "kube-public", "kube-node-lease", "default-scheduler"),
        *(one.name for one in BUILT_IN_CLASSES),
    )
)
_KEPT_WORDS = frozenset(("latest", "sha256", "iqn", "eui", "naa", "vol", "aws", "projects", "zones", "disks"))
"""Words by which the engine tells forms of identifiers apart."""
_KEPT_LABELS = frozenset(
    (
        *("kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch"),
        *("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"),
    )
)
# Words of kube-scheduler's and the controllers' sentences, which may be somebody's name as well.
_WORDS = """
a affinity all also already an and another any are as at available be been before bound but by can cannot claim
claims cluster conflict conflicting constraints count could created creating deleted did didn does doesn domain
due during enough error evicted existing failed find first for free from gate gates had has have host immediate
in incoming insufficient insufficiently is it label labels limit limits match max maximum missing more namespace
no node nodes not nominated of on only or other persistent pod pods port ports preempted preemption quota
requested requests required resource rules satisfy scheduled scheduler scheduling selector selectors
simultaneously skip some spread storage successfully taint taints than that the them they this to tolerate
topology unbound unschedulable untolerated up used victims volume volumes waiting was were while will with would
zone t s cpu memory ephemeral hugepages assigned true false
"""
_SENTENCE_WORDS = frozenset(_WORDS.split())
_QUOTED = re.compile(r'"([^"\s]+)"')
_TAINT = re.compile(r"\{([^{}:\s]+): ([^{}\s]*)\}")
_PAIR = re.compile(r"(?<![\w./-])([a-z][a-z0-9-]*|\d+[a-z-][a-z0-9-]*)/([a-z0-9][a-z0-9.-]*[a-z0-9]|[a-z0-9])(?![\w/])")
_DOMAIN = re.compile(r"\b[a-z0-9-]+(?:\.[a-z0-9-]+)+/[A-Za-z0-9][\w.-]*")
_QUOTA = re.compile(r"\bquota: ([a-z0-9][a-z0-9.-]*[a-z0-9])")
_AFTER = re.compile(
    r"\b(node|pod|to|claim|persistentvolumeclaim|pvc|volume|pv|namespace|storageclass|by) ([a-z0-9][a-z0-9.-]*[a-z0-9])"
)
_ANY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]|[A-Za-z0-9]")
_UID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_COMPOUND = re.compile(r"[-.0-9]")
_HELD_BACK = "\0"


def new_key() -> bytes:
    """A random key."""
    return secrets.token_bytes(KEY_BYTES)


class Pseudonyms:
    """Writes names as pseudonyms of one key."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._words: dict[str, str] = {}
        self._taken: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def name(self, text: str) -> str:
        """The pseudonym of a name; of each part of a path or an address where it is one."""
        pseudonym = self._names.get(text)
        if pseudonym is None:
            pseudonym = self._names[text] = text if text in _KEPT_NAMES else self._by_words(text)
        return pseudonym

    def label(self, key: str, value: str) -> str:
        """The pseudonym of the value of a label or taint."""
        return value if key in _KEPT_LABELS or _NUMBER.fullmatch(value) else self.name(value)

    def image(self, text: str) -> str:
        """The pseudonym of an image; nodes and pods name the same image alike."""
        return self.name(text)

    def message(self, text: str) -> str:
        """The sentence with pseudonyms for the names in it: those seen in objects, quoted ones, values of taints, pairs
        of namespace and name, and compound words after such as "node" or "claim"."""
        pieces: list[str] = []

        def hold(piece: str) -> str:
            pieces.append(piece)
            return f"{_HELD_BACK}{len(pieces) - 1}{_HELD_BACK}"

        text = text.replace(_HELD_BACK, "")
        text = _UID.sub(lambda one: hold(one[0]), text)
        text = _QUOTED.sub(lambda one: hold(f'"{self._quoted(one[1])}"'), text)
        text = _TAINT.sub(lambda one: hold(f"{{{one[1]}: {self.label(one[1], one[2])}}}"), text)
        text = _DOMAIN.sub(lambda one: hold(one[0]), text)
        text = _PAIR.sub(lambda one: hold(self._pair(one[1], one[2])), text)
        text = _QUOTA.sub(lambda one: f"quota: {hold(self.name(one[1]))}", text)
        text = _AFTER.sub(lambda one: f"{one[1]} {hold(self._after(one[2]))}", text)
        text = _ANY_NAME.sub(lambda one: self._seen(one[0]), text)
        return re.sub(f"{_HELD_BACK}(\\d+){_HELD_BACK}", lambda one: pieces[int(one[1])], text)

    def _pair(self, namespace: str, name: str) -> str:
        if _is_of_sentences(namespace) and _is_of_sentences(name):
            return f"{namespace}/{name}"
        return f"{self.name(namespace)}/{self.name(name)}"

    def _quoted(self, text: str) -> str:
        return "/".join(self.name(part) for part in text.split("/"))

    def _after(self, word: str) -> str:
        return self.name(word) if _COMPOUND.search(word) and not _is_of_sentences(word) else self._seen(word)

    def _seen(self, word: str) -> str:
        return word if _is_of_sentences(word) or _NUMBER.fullmatch(word) else self._names.get(word, word)

    def _by_words(self, text: str) -> str:
        ordinal = _ORDINAL.search(text)
        stem, rest = (text[: ordinal.start()], ordinal[0]) if ordinal else (text, "")
        out = _WORD.sub(lambda one: self._word(one[0]), stem) + rest
        longest = _LONGEST_LABEL if len(text) <= _LONGEST_LABEL else _LONGEST_NAME
        # Words of one letter may make it longer than a label can be.
        return out if len(out) <= longest or len(text) > _LONGEST_NAME else self._signs(text, 24) + rest

    def _word(self, word: str) -> str:
        pseudonym = self._words.get(word)
        if pseudonym is None:
            pseudonym = word if word in _KEPT_WORDS else self._signs(word, _LONG if len(word) > 2 else _SHORT)
            if self._taken.setdefault(pseudonym, word) != word:
                pseudonym = self._signs(word, _LONGER)
            self._words[word] = pseudonym
        return pseudonym

    def _signs(self, text: str, length: int) -> str:
        digest = hmac.new(self._key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
        rest, first = divmod(int.from_bytes(digest, "big"), len(_LETTERS))
        signs = [_LETTERS[first]]
        for _ in range(length - 1):
            rest, at = divmod(rest, len(_SIGNS))
            signs.append(_SIGNS[at])
        return "".join(signs)


def _is_of_sentences(word: str) -> bool:
    return all(part.lower() in _SENTENCE_WORDS for part in re.split(r"[-._]", word))
