"""Which pods a command schedules is said, unless somebody chose it."""

from __future__ import annotations

from argparse import Namespace

import pytest

from scheduler_core.cli.common.mode import mode_doubts, say_mode, with_mode
from tests.scheduler_core.explain.doubts.inputs import inputs, pod

NOTHING = Namespace(schedule=None, timeline=None)
WAITING, PLACED = inputs(pod(), pod("b", "there", node="n")), inputs(pod(node="n"), schedule="all")


@pytest.mark.parametrize(
    ("options", "several", "lines"),
    [
        (NOTHING, [WAITING], ["1 of 2 pods waits: it is scheduled (--schedule pending)"]),
        (NOTHING, [PLACED, PLACED], ["no pod waits: its 1 pod is scheduled from scratch (--schedule all)"]),
        (Namespace(schedule="all", timeline=None), [PLACED], []),
        (Namespace(schedule=None, timeline="t.yaml"), [PLACED], []),
        (NOTHING, [inputs()], []),
        (NOTHING, [inputs(pod())], []),
    ],
)
def test_it_is_said_once_on_standard_error(options, several, lines, capsys):
    say_mode(options, *several)
    assert capsys.readouterr().err.splitlines() == lines


def test_a_mode_that_nobody_chose_is_a_doubt():
    assert [one.code for one in with_mode((), NOTHING, PLACED)] == ["MODE_CHOSEN"]
    assert mode_doubts(NOTHING, WAITING) == mode_doubts(Namespace(schedule="all", timeline=None), PLACED) == ()
