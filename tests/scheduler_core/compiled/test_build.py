"""Building the kernel: it is there where a compiler is, and missed by nobody where there is none."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from scheduler_core import compiled
from scheduler_core.compiled import build

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def kernel_file(tmp_path, monkeypatch):
    """Where the kernel would be built to; the one in use stays as it is."""
    path = tmp_path / compiled.KERNEL.name
    monkeypatch.setattr(build, "KERNEL", path)
    return path


@pytest.mark.skipif(
    not (shutil.which("cc") and Path(sysconfig.get_path("include"), "Python.h").exists()), reason="no cc"
)
def test_it_is_built_from_these_sources(kernel_file):
    assert build.build() == ""
    assert list(kernel_file.parent.iterdir()) == [kernel_file]
    spec = importlib.util.spec_from_file_location("scheduler_core.compiled._kernel", kernel_file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert compiled.sources_digest() == module.SOURCES


def test_without_a_compiler_it_is_one_line_and_no_failure(kernel_file, monkeypatch, capsys):
    kernel_file.write_bytes(b"built before")
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("PATH", "")
    assert build.main() == 0
    assert capsys.readouterr().err == (
        "setup: there is no C compiler; Schedscope runs without its compiled kernel, more slowly\n"
    )
    assert not kernel_file.exists(), "a kernel of other sources is not left behind"


def test_a_compiler_that_fails_is_quoted(kernel_file, monkeypatch, capsys):
    monkeypatch.setenv("CC", f"{sys.executable} -c 'import sys; sys.exit(\"no header\")'")
    assert build.main() == 0
    assert "the C compiler ended with 1: no header; Schedscope runs without" in capsys.readouterr().err
    assert list(kernel_file.parent.iterdir()) == []


@pytest.mark.skipif(compiled.kernel() is None, reason="the compiled kernel is not in use")
def test_a_kernel_of_other_sources_is_not_used_but_told_of(monkeypatch, caplog):
    monkeypatch.setattr(compiled, "sources_digest", lambda: "others")
    assert compiled._load() is None
    assert "the compiled kernel is of other sources and not used" in caplog.text


def test_a_kernel_that_cannot_be_loaded_is_told_of(monkeypatch, caplog, tmp_path):
    def broken(name):
        raise ImportError("undefined symbol")

    path = tmp_path / "kernel.so"
    path.touch()
    monkeypatch.delenv("SCHEDSCOPE_KERNEL", raising=False)
    monkeypatch.setattr(compiled, "KERNEL", path)
    monkeypatch.setattr(compiled.importlib, "import_module", broken)
    assert compiled._load() is None
    assert "the compiled kernel cannot be loaded (undefined symbol)" in caplog.text
    path.unlink()
    caplog.clear()
    assert compiled._load() is None
    assert not caplog.text, "that there is none is not worth a word"


def test_it_can_be_switched_off(monkeypatch):
    words = [sys.executable, "-c", "from scheduler_core.compiled import kernel; print(kernel() is None)"]
    monkeypatch.delenv("SCHEDSCOPE_KERNEL", raising=False)
    for word, is_none in (("off", True), ("", compiled._load() is None)):
        environment = {"SCHEDSCOPE_KERNEL": word}
        done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(is_none)


def test_it_is_switched_off_for_a_while_only():
    before = compiled.kernel()
    with compiled.without_kernel():
        assert compiled.kernel() is None
    assert compiled.kernel() is before
