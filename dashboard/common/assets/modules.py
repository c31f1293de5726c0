"""Joins the scripts of the pages, which are many small modules, into few files.

The idea: each module becomes a function that runs once, when it is first asked for, and returns what the module
exports. The functions of several modules then fit into one file, a chunk, and a page fetches some chunks in place of
dozens of modules, level by level. Names cannot meet, since each module keeps its own scope, and a module whose chunk is
loaded for another's sake does nothing until it is imported, as before. For example
`import { a } from './a.js'; export const b = a;` becomes

    const room$b = once(() => {
    const { a } = room$a();
    const b = a;
    return { b };
    });

Every module is in exactly one chunk, so its state exists once on a page however many entries import it. Chunks refer to
each other as modules do (`import { room$a } from './app.1f2e3d4c5b6a.js'`); a chunk imports only those that its entries
need, so there are no circles. The entry of every page is a chunk with all that it reaches.

The forms of imports and exports are those that the formatter leaves: named imports from relative paths, exports before
declarations, no circles. Anything else is refused with file and line; a test reads all scripts. The cost is linear in
the text.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_IMPORT = re.compile(r"^import\s+(?:\{([^}]*)\}\s*from\s*)?'([^']+)';\n?", re.MULTILINE)
_EXPORT = re.compile(r"^export\s+((?:async\s+)?function\*?|const|class)\s+([\w$]+)", re.MULTILINE)
_MODULE = re.compile(r"^(?:import|export)\b", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b|\bimport\s*\(|\bimport\.meta\b|^(?:for )?await\b", re.MULTILINE)
LEAST_SHARED = 8_000
"""Characters of a chunk below which a request for it takes longer than its text with every page's."""

_ONCE = "const once = (make, made) => () => (made ??= make());\n"


class UnknownForm(ValueError):
    """A script has an import or export that cannot be joined; the text names file and line."""


@dataclass(frozen=True)
class ScriptModule:
    """One script: the names that it imports by module (a path within the folder), its exports, the rest of its text."""

    name: str
    imports: dict[str, str]
    exports: tuple[str, ...]
    body: str


@dataclass
class ScriptChunk:
    """One file of scripts: its modules, each after those that it imports, and the entry that it starts by itself."""

    name: str
    modules: list[str] = field(default_factory=list)
    starts: str = ""


def read_module(name: str, text: str) -> ScriptModule:
    """Return the parts of a script. Raises UnknownForm."""
    imports: dict[str, str] = {}
    for names, path in _IMPORT.findall(text):
        imported = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        imports[imported] = re.sub(r"\s+as\s+", ": ", " ".join(names.split()).rstrip(","))
    exports = tuple(name for _, name in _EXPORT.findall(text))
    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub("", text))
    if other := _OTHER.search(body):
        line = body[other.start() :].partition("\n")[0]
        number = next(i for i, one in enumerate(text.splitlines(), 1) if line.strip() in one)
        raise UnknownForm(f"{name}:{number}: {line.strip()[:80]}")
    return ScriptModule(name, imports, exports, body)


def is_module(text: str) -> bool:
    """Return whether a script imports or exports anything; others are sent as they are."""
    return bool(_MODULE.search(text))


def plan_chunks(modules: Mapping[str, ScriptModule], entries: Iterable[str], frame: str) -> list[ScriptChunk]:
    """Return the chunks, each after those that it imports: the frame's, shared ones, and one for each other entry.

    What several entries of one folder need is shared in a chunk of the folder, unless that would be a small one; that,
    and what entries of several folders need, comes with the frame, which every page has. Raises UnknownForm for a
    circle.
    """
    order = _ordered(modules)
    used_by: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        for name in _reached(modules, entry):
            used_by[name].add(entry)
    in_frame = _reached(modules, frame)
    places = {name: frame if name in in_frame else _place(used_by[name], frame) for name in order if name in used_by}
    sizes: dict[str, int] = defaultdict(int)
    for name, place in places.items():
        sizes[place] += len(modules[name].body)
    chunks = {frame: ScriptChunk(frame, starts=frame)}
    for name, place in places.items():
        is_small = place not in used_by and sizes[place] < LEAST_SHARED
        chunks.setdefault(frame if is_small else place, ScriptChunk(place)).modules.append(name)
    for entry in entries:
        chunks.setdefault(entry, ScriptChunk(entry)).starts = entry
    return sorted(chunks.values(), key=lambda one: (one.name != frame, one.starts != ""))


def _place(entries: set[str], frame: str) -> str:
    if len(entries) == 1:
        return next(iter(entries))
    folders = {entry.partition("/")[0] for entry in entries}
    return f"{next(iter(folders))}/shared.js" if len(folders) == 1 else frame


def _reached(modules: Mapping[str, ScriptModule], name: str) -> set[str]:
    names, ahead = {name}, [name]
    while ahead:
        new = set(modules[ahead.pop()].imports) - names
        names |= new
        ahead += new
    return names


def _ordered(modules: Mapping[str, ScriptModule]) -> list[str]:
    """Return all names, each after those that it imports."""
    order: dict[str, None] = {}

    def add(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise UnknownForm(f"{' imports '.join((*above[above.index(name) :], name))}: a circle")
        if name not in modules:
            raise UnknownForm(f"{above[-1]} imports {name}, which is not there")
        if name not in order:
            for imported in modules[name].imports:
                add(imported, (*above, name))
            order[name] = None

    for name in modules:
        add(name, ())
    return list(order)


def chunk_text(
    chunk: ScriptChunk, modules: Mapping[str, ScriptModule], chunk_of: Mapping[str, str], address: Callable[[str], str]
) -> str:
    """Return the text of a chunk's file; ``address`` gives the path by which it imports another chunk."""
    needed: dict[str, set[str]] = defaultdict(set)
    for name in [*(imported for one in chunk.modules for imported in modules[one].imports), chunk.starts]:
        if name and chunk_of[name] != chunk.name:
            needed[chunk_of[name]].add(function_of(name))
    lines = [f"import {{ {', '.join(sorted(names))} }} from '{address(other)}';\n" for other, names in needed.items()]
    if chunk.modules:
        lines.append(_ONCE)
    for name in chunk.modules:
        one = modules[name]
        lines.append(f"/* {name} */\nconst {function_of(name)} = once(() => {{\n")
        for imported, names in one.imports.items():
            taken = f"const {{ {names} }} = " if names else ""
            lines.append(f"{taken}{function_of(imported)}();\n")
        lines.append(f"{one.body.strip()}\nreturn {{ {', '.join(one.exports)} }};\n}});\n")
    if chunk.modules:
        lines.append(f"export {{ {', '.join(map(function_of, chunk.modules))} }};\n")
    if chunk.starts:
        lines.append(f"{function_of(chunk.starts)}();\n")
    return "".join(lines)


def function_of(name: str) -> str:
    """Return the name of a module's function: debugger$map$flow of debugger/map/flow.js.

    It follows from the module alone, so that a new module changes no other chunk.
    """
    return name.removesuffix(".js").replace("/", "$").replace("-", "_")
