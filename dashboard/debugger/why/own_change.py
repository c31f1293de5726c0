"""The form for a change that the reader makes up: its fields, its errors, and the answer to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from dashboard.common.http.params import text_param
from scheduler_core.explain.pending.own_change import KINDS, NODE, ChangeProblem, OwnChange, checked, own_change

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.answers.panel import AnswerPanel
    from scheduler_core.explain.pending.own_change import ChangeAnswer

FIELDS = ("change", "name", "value")
LENGTH = 400
FIRST, GATED_FIRST = "grow-node", "remove-gates"


@dataclass(frozen=True)
class ChangeForm:
    """The form's fields as they are filled; `text` is the change as addresses and the command line have it, "" while
    the form is not sent.

    `problem` says what is wrong with the field `bad`; `offered` are names of nodes that refused the pod.
    """

    kind: str
    name: str = ""
    value: str = ""
    text: str = ""
    bad: str = ""
    problem: str = ""
    offered: tuple[str, ...] = ()

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """Return (kind, title) of every kind of change."""
        return [(name, kind.title) for name, kind in KINDS.items()]

    @property
    def name_label(self) -> str:
        """Return the label of the name field, "" where the kind has none."""
        return {"": "", NODE: "Node"}.get(KINDS[self.kind].of, "Pod")

    @property
    def name_example(self) -> str:
        """Return an example for the name field."""
        if KINDS[self.kind].of != NODE:
            return "namespace/name"
        return self.offered[0] if self.offered else "name"

    @property
    def value_label(self) -> str:
        """Return the label of the value field, "" where the kind has none."""
        return KINDS[self.kind].value.capitalize()

    @property
    def value_example(self) -> str:
        """Return an example for the value field."""
        return KINDS[self.kind].example


@dataclass(frozen=True)
class ChangePanel:
    """The form with the question; `asked` is None while nothing is asked, and where the form itself is wrong."""

    form: ChangeForm
    action: str
    asked: AnswerPanel | None = None

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """Return the page's parameters as hidden fields (name, value) of the form."""
        return parse_qsl(self.action.partition("?")[2])

    @property
    def place(self) -> str:
        """Return the page's address without its query."""
        return self.action.partition("?")[0]

    @property
    def answer(self) -> ChangeAnswer | None:
        """The answer, None until it has arrived."""
        reply = self.asked.answer if self.asked is not None else None
        answer: ChangeAnswer | None = None if reply is None else reply.value
        return answer

    @property
    def bad(self) -> str:
        """Return the name of the wrong field; "change" if the answer says that the pod itself cannot be asked about."""
        answer = self.answer
        return self.form.bad or (answer.field or "change" if answer is not None and answer.problem else "")

    @property
    def problem(self) -> str:
        """Return what is wrong, "" if nothing is."""
        return self.form.problem or (self.answer.problem if self.answer is not None else "")


def change_text(query: Mapping[str, str]) -> str:
    """Return the change of an address: ?would=..., or the fields of the form; raises BadQuery where too long."""
    if "change" not in query:
        return text_param(query, "would", LENGTH)
    return " ".join(part for name in FIELDS if (part := text_param(query, name, LENGTH)))


def change_form(query: Mapping[str, str], text: str, offered: tuple[str, ...], first: str = FIRST) -> ChangeForm:
    """Return the form as an address fills it; `text` "" shows fields without asking, those of the kind `first` where
    the address names none."""
    kind = text_param(query, "change", LENGTH) or text.partition(" ")[0]
    shown_kind = kind if kind in KINDS else first
    name, value = text_param(query, "name", LENGTH), text_param(query, "value", LENGTH)
    if not text:
        return ChangeForm(shown_kind, name, value, offered=offered)
    try:
        change = _of_fields(kind, name, value) if "change" in query and kind in KINDS else own_change(text)
    except ChangeProblem as problem:
        return ChangeForm(shown_kind, name, value, text, problem.field, f"{problem}", offered)
    return ChangeForm(change.kind, change.name, change.value, change.text, offered=offered)


def _of_fields(kind: str, name: str, value: str) -> OwnChange:
    """The change in the form's fields, leaving out fields its kind does not have; raises ChangeProblem."""
    return checked(OwnChange(kind, name if KINDS[kind].of else "", value if KINDS[kind].value else ""))
