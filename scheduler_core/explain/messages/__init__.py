"""What messages of failed scheduling say: a table of kube-scheduler's texts by version, and messages taken apart by it.

``explain_messages(text)`` answers from a text alone; ``TEXTS`` is the table, with the codes that each text leads to
(docs/diagnosis.md lists both ways); ``parse_message`` gives the counts of one message.
"""

from __future__ import annotations

from scheduler_core.explain.messages.answer import explain_messages
from scheduler_core.explain.messages.lines import message_lines
from scheduler_core.explain.messages.model import ExplainedMessages, MessagePart, ReadMessage
from scheduler_core.explain.messages.parsing import parse_message
from scheduler_core.explain.messages.table import TEXTS

__all__ = [
    "TEXTS",
    "ExplainedMessages",
    "MessagePart",
    "ReadMessage",
    "explain_messages",
    "message_lines",
    "parse_message",
]
