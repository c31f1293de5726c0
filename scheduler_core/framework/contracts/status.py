"""What a plugin answers: codes in upstream's order and a status with reasons (framework/interface.go)."""

from __future__ import annotations

from enum import IntEnum

import msgspec


class Code(IntEnum):
    """The codes of framework.Code, same names and order."""

    SUCCESS = 0
    ERROR = 1
    UNSCHEDULABLE = 2
    UNSCHEDULABLE_AND_UNRESOLVABLE = 3
    WAIT = 4
    SKIP = 5
    PENDING = 6

    @property
    def label(self) -> str:
        """The name as upstream prints it, e.g. UnschedulableAndUnresolvable."""
        return _LABELS[self]


_LABELS = {
    Code.SUCCESS: "Success",
    Code.ERROR: "Error",
    Code.UNSCHEDULABLE: "Unschedulable",
    Code.UNSCHEDULABLE_AND_UNRESOLVABLE: "UnschedulableAndUnresolvable",
    Code.WAIT: "Wait",
    Code.SKIP: "Skip",
    Code.PENDING: "Pending",
}

REJECTIONS = frozenset({Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.PENDING})
"""Codes that reject a pod without being an error (Status.IsRejected)."""


class Status(msgspec.Struct, frozen=True):
    """A code with reasons; ``plugin`` is filled in by the runtime."""

    code: Code = Code.SUCCESS
    reasons: tuple[str, ...] = ()
    plugin: str = ""

    @property
    def is_success(self) -> bool:
        """Whether the code is SUCCESS."""
        return self.code is Code.SUCCESS

    @property
    def is_skip(self) -> bool:
        """Whether the code is SKIP."""
        return self.code is Code.SKIP

    @property
    def is_rejected(self) -> bool:
        """Whether the pod is refused without an error."""
        return self.code in REJECTIONS

    @property
    def message(self) -> str:
        """The reasons joined as upstream does."""
        return ", ".join(self.reasons)


SUCCESS = Status()
SKIP = Status(Code.SKIP)


def attributed(status: Status, plugin: str, doing: str) -> Status:
    """A status that is no success, as upstream hands it on: a refusal with the plugin's name, anything else an error
    that begins with what was being done, e.g. ``running Reserve plugin "X"``."""
    if status.is_rejected:
        return status if status.plugin else Status(status.code, status.reasons, plugin)
    return Status(Code.ERROR, (f"{doing}: {status.message}",), plugin)


def of_plugin(status: Status, plugin: str) -> Status:
    """The status with the plugin's name, which is of no interest where it did not refuse."""
    if status.code is Code.SUCCESS or status.code is Code.SKIP or status.plugin:
        return status
    return Status(status.code, status.reasons, plugin)


def filter_status(status: Status, plugin: str) -> Status:
    """What Filter answered for a node where that is no success (RunFilterPlugins)."""
    return attributed(status, plugin, f'running "{plugin}" filter plugin')


def unschedulable(*reasons: str) -> Status:
    """A refusal that another pod's leaving or a later event may lift."""
    return Status(Code.UNSCHEDULABLE, reasons)


def unresolvable(*reasons: str) -> Status:
    """A refusal that preemption cannot lift."""
    return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, reasons)


def error(*reasons: str) -> Status:
    """A failure that is not a verdict."""
    return Status(Code.ERROR, reasons)
