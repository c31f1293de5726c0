"""A plugin that raises: what is known of it, and how it reaches the engine.

An exception inside a plugin's method fails the attempt that asked, never the run. Where the call sits deep inside the
filter or score phase it travels as ``PluginRaised``; where a status is expected (Reserve, Bind, ...) it becomes one of
code ERROR at once. Either way ``Framework.failed`` reports it to ``RunContext.on_plugin_error`` and drops the
cache of the pod's class, which the call may have left half renewed. The engine's own exceptions, raised outside of
plugins, end the run as before.
"""

from __future__ import annotations

import re
import traceback

import msgspec

from scheduler_core.framework.contracts.status import Code, Status

_MOST_TEXT, _MOST_TRACEBACK = 500, 20_000
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
QUEUEING_HINT, UNRESERVE, POST_BIND, PRE_ENQUEUE = "QueueingHint", "Unreserve", "PostBind", "PreEnqueue"


class PluginError(msgspec.Struct, frozen=True, kw_only=True):
    """An exception that a plugin raised.

    ``point`` is upstream's name of the extension point, with NormalizeScore, Unreserve, PreFilterExtensionAddPod,
    PreFilterExtensionRemovePod, PreFilterExtensionClone and QueueingHint beside the usual ones. ``kind`` is the name of
    the exception's type, ``text`` its message in one line of at most 500 characters without memory addresses, so that
    the same inputs give the same. ``traceback`` is as Python prints it, at most its last 20,000 characters; it names
    files of this machine and is no part of a recording's hash. ``pod`` (namespace/name) and ``cycle`` say for whom
    the plugin was asked; cycle 0 where it was not within one (PreEnqueue, queueing hints).
    """

    plugin: str
    point: str
    kind: str
    text: str
    traceback: str = ""
    pod: str = ""
    cycle: int = 0

    @classmethod
    def of(cls, plugin: str, point: str, problem: Exception) -> PluginError:
        """What there is to say of the exception; that of another plugin, asked by this one, speaks for itself.

        Raises a MemoryError again: the machine's, not the plugin's.
        """
        if isinstance(problem, PluginRaised):
            return problem.error
        if isinstance(problem, MemoryError):
            raise problem
        trace = "".join(traceback.format_exception(problem))
        kind = type(problem).__name__
        return cls(plugin=plugin, point=point, kind=kind, text=_text(problem), traceback=trace[-_MOST_TRACEBACK:])

    @property
    def message(self) -> str:
        """One sentence: plugin, extension point, exception type and text."""
        headline = f'{self.point} of plugin "{self.plugin}" raised {self.kind}'
        return f"{headline}: {self.text}" if self.text else headline

    @property
    def status(self) -> Status:
        """An error with the message."""
        return Status(Code.ERROR, (self.message,), self.plugin)


class PluginRaised(Exception):
    """Carries a plugin's exception through the filter or score phase to the attempt; ``error`` has all of it."""

    def __init__(self, error: PluginError) -> None:
        super().__init__(error.message)
        self.error = error


def raised(plugin: str, point: str, problem: Exception) -> PluginRaised:
    """The exception to raise where a call of the plugin's method raised ``problem``."""
    return problem if isinstance(problem, PluginRaised) else PluginRaised(PluginError.of(plugin, point, problem))


def _text(problem: Exception) -> str:
    """The exception's message in one line."""
    try:
        parts = str(problem).split()
    except Exception as second:  # a message that cannot be made is the plugin's fault too
        return f"its message raises {type(second).__name__}"
    return _ADDRESS.sub("0x...", " ".join(parts))[:_MOST_TEXT]
