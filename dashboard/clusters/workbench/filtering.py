"""The filter above the tree, written as in k9s: `:node /text /!text -n shop -l app=web,tier!=db`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dashboard.common.http.params import shown
from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.manifests.kinds.registry import KINDS

SHORT_NAMES = {
    "no": "Node",
    "po": "Pod",
    "deploy": "Deployment",
    "rs": "ReplicaSet",
    "rc": "ReplicationController",
    "sts": "StatefulSet",
    "ds": "DaemonSet",
    "pc": "PriorityClass",
    "pdb": "PodDisruptionBudget",
    "svc": "Service",
    "pv": "PersistentVolume",
    "pvc": "PersistentVolumeClaim",
    "sc": "StorageClass",
    "ns": "Namespace",
    "claim": "ResourceClaim",
    "slice": "ResourceSlice",
}
"""kubectl's short names of kinds."""
_OPTION = re.compile(r"""(?:^|\s)-(l|n)(?:\s+|=)("[^"]*"|'[^']*'|\S+)""")
_DANGLING = re.compile(r"(?:^|\s)-(l|n)(?=\s*$)")
_SET = re.compile(r"(!?)\s*([^\s=!(),]+)\s*(?:(==|=|!=)\s*([^\s=!(),]*)|\s(in|notin)\s*\(([^()]*)\))?\s*(?:,|$)")


class BadFilter(ValueError):
    """A filter that cannot be read; the text says why."""


@dataclass(frozen=True)
class Filter:
    """What a filter asks for. All parts must hold; an empty one holds for every object."""

    kinds: frozenset[str] = frozenset()
    namespace: str = ""
    words: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    labels: LabelSelector | None = None

    @property
    def is_empty(self) -> bool:
        """Return whether it holds for every object."""
        return self == Filter()

    def has_words(self, haystack: str) -> bool:
        """Return whether the text of an object, in lower case, has the words and none of the others."""
        return all(one in haystack for one in self.words) and not any(one in haystack for one in self.without)


def parse_filter(text: str) -> Filter:
    """Return what the text asks for; raises BadFilter."""
    kinds, words, without = set(), [], []
    namespace, labels = "", None
    for option, value in _OPTION.findall(text):
        bare = value.strip("\"'")
        if option == "n":
            namespace = bare
        else:
            labels = parse_selector(bare)
    rest = _DANGLING.sub(" ", _OPTION.sub(" ", text))
    for token in rest.split():
        if token.startswith(":"):
            kinds.add(find_kind(token[1:]))
        elif token.startswith("/!"):
            without.append(token[2:].casefold())
        else:
            words.append(token.removeprefix("/").casefold())
    asked, unwanted = (tuple(word for word in part if word) for part in (words, without))
    return Filter(frozenset(kinds - {""}), namespace, asked, unwanted, labels)


def find_kind(word: str) -> str:
    """Return the kind that kubectl means by a word ("po", "pods", "Pod"), "" for an empty one; raises BadFilter."""
    asked = word.casefold()
    if not asked or asked in SHORT_NAMES:
        return SHORT_NAMES.get(asked, "")
    for kind in KINDS:
        name, dot, group = kind.casefold().partition(".")
        if asked in (f"{name}{dot}{group}", f"{name}s{dot}{group}", f"{name}es{dot}{group}"):
            return kind
    raise BadFilter(f'":{shown(word)}" is no kind that is kept here. Write :node, :pod, :deploy, :pdb, …')


def parse_selector(text: str) -> LabelSelector:
    """Return a label selector as kubectl writes it: `a=b,c!=d,e,!f,g in (x,y)`; raises BadFilter."""
    requirements, at = [], 0
    while at < len(text):
        match = _SET.match(text, at)
        if match is None:
            raise BadFilter(f'"-l {shown(text)}" is no label selector. Write app=web, tier!=db, gpu or !gpu.')
        requirements.append(_requirement(match))
        at = match.end()
    return LabelSelector(tuple(requirements))


def _requirement(match: re.Match[str]) -> Requirement:
    is_not, key, sign, value, word, values = match.groups()
    if sign:
        return Requirement(key, "NotIn" if sign == "!=" else "In", (value,))
    if word:
        listed = tuple(one.strip() for one in values.split(","))
        return Requirement(key, "In" if word == "in" else "NotIn", listed)
    return Requirement(key, "DoesNotExist" if is_not else "Exists")
