"""What `manage.py` itself does, before Django has a say."""

from __future__ import annotations

import signal

import pytest

from tests.interrupts import interrupted

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("module", ["signal", "django", "dashboard.settings"])
def test_ctrl_c_is_one_line_from_the_first_import_on(tmp_path, module):
    done = interrupted(tmp_path, ["manage.py", "serve"], module)
    assert (done.stderr, done.returncode) == ("schedscope: stopped\n", -signal.SIGINT)


def test_other_commands_keep_the_interrupt_of_python(tmp_path):
    done = interrupted(tmp_path, ["manage.py", "shell"], "django")
    assert done.stderr.endswith("KeyboardInterrupt\n")
