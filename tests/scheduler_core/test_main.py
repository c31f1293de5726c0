"""What the command line does, whatever the command."""

from __future__ import annotations

import signal

import pytest

from tests.interrupts import interrupted


@pytest.mark.parametrize("module", ["scheduler_core.cli.simulate", "numpy"])
def test_ctrl_c_is_one_line_from_the_first_import_on(tmp_path, module):
    done = interrupted(tmp_path, ["-m", "scheduler_core", "simulate", "--help"], module)
    assert (done.stderr, done.returncode) == ("stopped\n", -signal.SIGINT)
