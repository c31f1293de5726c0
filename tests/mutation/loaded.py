"""A loaded module with a change: its functions get their new code, without a process that imports everything again."""

from __future__ import annotations

import gc
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator


def change_functions(file: str, source: str, changed: ast.Module) -> bool:
    """Give the loaded functions of a file the code of the changed module; whether that was possible.

    What ran while the module was imported stays as it was.
    """
    before, after = (list(_codes(compile(what, file, "exec", dont_inherit=True))) for what in (source, changed))
    if [code.co_qualname for code in before] != [code.co_qualname for code in after]:
        return False
    codes = dict(zip(before, after, strict=True))
    gc.unfreeze()  # what the dashboard froze is not listed
    has_new = False
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename == file and each.__code__ in codes:
            new = codes[each.__code__]
            if new.co_freevars != each.__code__.co_freevars:
                return False
            has_new |= new != each.__code__
            each.__code__ = new
    return has_new


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The codes of a module or function and all that are written in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
