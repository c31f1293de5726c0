"""What python_abi.h declares of Python's stable ABI is what Python's own headers declare."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from scheduler_core.compiled import build
from tests.conftest import unavailable

HEADER = Path(build.__file__).with_name("python_abi.h")
STRUCTS = ("PyObject", "Py_buffer", "PyMethodDef", "PyModuleDef_Base", "PyModuleDef", "PyModuleDef_Slot", "PyType_Slot",
           "PyType_Spec")  # fmt: skip


def headers_of_python():
    folder = Path(sysconfig.get_path("include"))
    if not (folder / "Python.h").exists():
        unavailable("Python's headers are not installed")
    return f"-I{folder}"


def facts(tmp_path, name, flags, expressions):
    """The values of constant expressions, as a shared library compiled with these flags holds them."""
    source, library = tmp_path / f"{name}.c", tmp_path / f"{name}.so"
    lines = [
        "#include <stddef.h>",
        f'#include "{HEADER}"',
        '__attribute__((visibility("default"))) long long facts[] = {',
    ]
    source.write_text("\n".join([*lines, *(f"    (long long)({each})," for each in expressions), "};", ""]))
    cc = next((command for command in build.compilers() if command != build.tcc_of_wheel()), None)
    if cc is None:
        unavailable("there is no cc")
    done = subprocess.run([*cc, "-Werror", *flags, str(source), "-o", str(library)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return list((ctypes.c_longlong * len(expressions)).in_dll(ctypes.CDLL(str(library)), "facts"))


@pytest.mark.slow
def test_types_constants_and_functions_are_those_of_python(tmp_path):
    """A function declared otherwise than in Python.h ends the second compilation with an error."""
    text = HEADER.read_text()
    own = text[: text.index("#endif\n\n/* --- functions")]
    constants = re.findall(r"\b(Py\w+|METH_\w+) = \d", own) + re.findall(r"#define (Py_TPFLAGS_\w+|INT\w+)", own)
    sizes = re.findall(r"typedef [a-z_ ]+ (u?int\w+_t|Py_ssize_t);", own)
    fields = [
        (struct, field)
        for struct in STRUCTS
        for body in re.findall(rf"typedef struct[^{{;]*\{{([^}}]*)\}} {struct};", own)
        for field in re.findall(r"\(?\*?(\w+)\)?(?:\(void\))?[,;]", body)
    ]
    assert len(constants) > 15
    assert len(sizes) == 10
    assert {struct for struct, _ in fields} == set(STRUCTS)
    expressions = [
        *constants,
        *(f"sizeof({name})" for name in (*sizes, *STRUCTS)),
        *(f"({name})-1 < 0" for name in sizes),
        *(f"offsetof({struct}, {field})" for struct, field in fields),
    ]
    without = facts(tmp_path, "without", [], expressions)
    flags = ["-DPy_LIMITED_API=0x030B0000", "-DPY_SSIZE_T_CLEAN", headers_of_python(), "-include", "Python.h"]
    assert dict(zip(expressions, without, strict=True)) == dict(
        zip(expressions, facts(tmp_path, "with", flags, expressions), strict=True)
    )
