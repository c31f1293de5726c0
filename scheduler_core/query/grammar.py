"""The grammar, the limits, and the parser: text to a tree of tokens; parsing.py resolves the names in it.

It is an LALR parser, so its time is linear in the length of the text, and it knows at each place which tokens may
follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec
from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput
from lark.parsers.lalr_interactive_parser import InteractiveParser

from scheduler_core.query.expressions import QueryError
from scheduler_core.query.fields import QuerySubject

MAX_LENGTH = 2_000
MAX_TERMS = 60
MAX_DEPTH = 20

_GRAMMAR = rf"""
start: SUBJECT
     | SUBJECT either
     | either
?either: all_of (OR all_of)*          -> any_of
?all_of: one (AND? one)*              -> all_of
?one: NOT one                         -> negation
    | OPEN either CLOSE               -> inner
    | WORD OPERATOR VALUE             -> comparison
    | WORD OPERATOR QUOTED            -> comparison
    | WORD                            -> flag

SUBJECT.2: /(?:{"|".join(QuerySubject)})(?![^\s()])(?!\s*[:=<>~!])/
OPERATOR: /!=|<=|>=|[:=<>~]/
QUOTED: /"(?:[^"\\]|\\.)*"/
VALUE: /[^\s()"<>=!~:][^\s()"]*/
WORD: /[^\s()"<>=!~:]+/
OPEN: "("
CLOSE: ")"
%declare AND OR NOT
%ignore /\s+/
"""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
EXPECTED = {
    "SUBJECT": "a subject",
    "WORD": "a field",
    "OPERATOR": "an operator",
    "VALUE": "a value",
    "QUOTED": "a value",
    "NOT": "not",
    "AND": "and",
    "OR": "or",
    "OPEN": "(",
    "CLOSE": ")",
    "$END": "the end",
}
"""How an error names what the parser could have gone on with."""
_JOINING = {"and": "AND", "or": "OR", "not": "NOT"}


class RawComparison(msgspec.Struct):
    """Tokens of a comparison; without operator and value, of a flag."""

    name: Token
    operator: Token | None = None
    value: Token | None = None


class RawGroup(msgspec.Struct):
    """Parts joined by ``joined``: "and", "or", or "not" with one part."""

    joined: str
    parts: list[RawExpression]


RawExpression = RawComparison | RawGroup


class RawQuery(msgspec.Struct):
    """The subject where one was written, and what must hold, if anything."""

    subject: Token | None
    where: RawExpression | None


@v_args(inline=True)
class _RawTrees(Transformer[Token, RawQuery]):
    """Makes the tree while it is parsed."""

    def start(self, *parts: Token | RawComparison | RawGroup) -> RawQuery:
        subject = parts[0] if isinstance(parts[0], Token) else None
        where = parts[-1]
        return RawQuery(subject, None if isinstance(where, Token) else where)

    def any_of(self, *parts: RawExpression | Token) -> RawExpression:
        return _joined("or", parts)

    def all_of(self, *parts: RawExpression | Token) -> RawExpression:
        return _joined("and", parts)

    def negation(self, _: Token, part: RawExpression) -> RawExpression:
        return RawGroup("not", [part])

    def inner(self, _: Token, part: RawExpression, __: Token) -> RawExpression:
        return part

    def comparison(self, name: Token, operator: Token, value: Token) -> RawExpression:
        return RawComparison(name, operator, value)

    def flag(self, name: Token) -> RawExpression:
        return RawComparison(name)


def _joined(how: str, parts: Sequence[RawExpression | Token]) -> RawExpression:
    """The parts without the words between them; a single one is itself."""
    expressions = [part for part in parts if not isinstance(part, Token)]
    return RawGroup(how, expressions) if len(expressions) > 1 else expressions[0]


def _joining(token: Token) -> Token:
    """``and``, ``or`` and ``not`` are words of the language, in small or capital letters."""
    if token.isascii() and (kind := _JOINING.get(token.lower())):
        return Token.new_borrow_pos(kind, token, token)
    return token


@lru_cache(maxsize=1)
def parser() -> Lark:
    """The parser, made once."""
    return Lark(_GRAMMAR, parser="lalr", transformer=_RawTrees(), lexer_callbacks={"WORD": _joining})


class Reading:
    """A query being read: the tokens so far, and the state of the parser."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.at: InteractiveParser = parser().parse_interactive(text)

    def read(self) -> Iterator[Token]:
        """Read on, token by token. Raises lark's UnexpectedInput, and QueryError beyond a limit."""
        depth = negations = terms = 0
        for token in self.at.iter_parse():
            self.tokens.append(token)
            depth += {"OPEN": 1, "CLOSE": -1}.get(token.type, 0)
            negations = negations + 1 if token.type == "NOT" else 0 if token.type == "WORD" else negations
            terms += token.type == "WORD"
            column = (token.start_pos or 0) + 1
            if depth + negations > MAX_DEPTH:
                raise QueryError(f"more than {MAX_DEPTH} brackets and negations inside of each other", column)
            if terms > MAX_TERMS:
                raise QueryError(f"more than {MAX_TERMS} conditions", column, column + len(token))
            yield token

    def whole(self) -> RawQuery:
        """The query, read to its end. Raises as ``read``."""
        for _ in self.read():
            pass
        raw: RawQuery = self.at.feed_eof(self.tokens[-1] if self.tokens else None)  # type: ignore[no-untyped-call]
        return raw

    def expected(self) -> set[str]:
        """The types of tokens that may come next."""
        return {str(name) for name in self.at.accepts()}  # type: ignore[no-untyped-call]


def raw_query(text: str) -> RawQuery:
    """The query as a tree of tokens. Raises QueryError at the column where it goes wrong."""
    if len(text) > MAX_LENGTH:
        raise QueryError(f"the query has {len(text):,} characters; {MAX_LENGTH:,} are allowed", MAX_LENGTH + 1)
    if control := _CONTROL.search(text):
        raise QueryError("a character that cannot be printed", control.start() + 1)
    reading = Reading(text)
    try:
        return reading.whole()
    except UnexpectedInput as problem:
        raise _explained(reading, problem) from None


def _explained(reading: Reading, problem: UnexpectedInput) -> QueryError:
    """The error at the place where the parser stopped, with what it expected there."""
    text, token = reading.text, getattr(problem, "token", None)
    names = reading.expected()
    expected = tuple(dict.fromkeys(name for kind, name in EXPECTED.items() if kind in names))
    if token is not None and token.type == "$END":
        message = "the query ends here" if text.strip() else "the query is empty"
        return QueryError(message, len(text.rstrip()) + 1, 0, expected)
    start = problem.pos_in_stream or 0
    part = text[start] if token is None else str(token)[:60]
    message = 'the text has no second "' if part == '"' and "QUOTED" in names else f"{part!r} does not fit here"
    return QueryError(message, start + 1, start + 1 + len(part), expected)
