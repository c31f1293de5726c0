"""The cases of tests/cases/diagnosis: what ``why --json`` says of each, and its objects with edits applied."""

from __future__ import annotations

import copy
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from scheduler_core.cli.answers.why import run as why
from scheduler_core.cli.runs.simulate import run as simulate

FOLDER = Path(__file__).parents[1] / "cases" / "diagnosis"
CASES: dict[str, dict[str, Any]] = {one["id"]: one for one in json.loads((FOLDER / "index.json").read_text())}
Raw = dict[str, Any]


@cache
def answer(name: str) -> Raw:
    """What ``why --json`` prints of the case; not to be changed."""
    case = CASES[name]
    return printed(why, [*_paths(case["files"]), *case["options"], "--pod", case["pod"], "--json"])


def answer_on(files: list[str], *options: str) -> Raw:
    """The same of other files of the folder."""
    return printed(why, [*_paths(files), *options, "--json"])


def printed(command: Any, argv: list[str]) -> Raw:
    """The JSON that a command prints, in this process."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        assert command(argv) == 0
    return dict(json.loads(out.getvalue()))


def _paths(files: list[str]) -> list[str]:
    return [str(FOLDER / name) for name in files]


def strings(value: Any) -> list[str]:
    """All texts in the value, numbers too."""
    if isinstance(value, dict):
        return [text for key, one in value.items() for text in (key, *strings(one))]
    if isinstance(value, list):
        return [text for one in value for text in strings(one)]
    return [str(value)]


# --- edits ----------------------------------------------------------------------------------------------------------
@cache
def _read(name: str) -> list[Raw]:
    documents = [one for file in CASES[name]["files"] for one in yaml.safe_load_all((FOLDER / file).read_text())]
    listed = [item for one in documents if one for item in (one["items"] if one["kind"] == "List" else [one])]
    return [json.loads(json.dumps(one, default=str)) for one in listed]


def objects_with(name: str, edits: list[Raw]) -> list[Raw]:
    """The objects of the case's files with these edits applied, each as its fields say and nothing else."""
    objects = copy.deepcopy(_read(name))
    for edit in edits:
        _apply(objects, edit)
    return objects


def _apply(objects: list[Raw], edit: Raw) -> None:
    version, kind, namespace, name = edit["object"].rsplit("/", 3)
    edited = next((one for one in objects if _is(one, version, kind, namespace, name)), None)
    if edit["path"] == "":
        if edited is not None:
            objects.remove(edited)
        assert edit["op"] == "add" or edited is not None, f"there is no {edit['object']}"
        if edit["op"] != "remove":
            objects.append({"apiVersion": version, "kind": kind, **edit["value"]})
        return
    assert edited is not None, f"there is no {edit['object']}"
    assert edit["path"].startswith("/"), edit["path"]
    *way, last = (step.replace("~1", "/").replace("~0", "~") for step in edit["path"].split("/")[1:])
    holder: Any = edited
    for step, following in pairwise([*way, last]):
        if isinstance(holder, list):
            holder = holder[int(step)]
        else:  # what a manifest leaves out on the way is made
            holder = holder[step] if edit["op"] == "remove" else holder.setdefault(step, [] if following == "-" else {})
    _put(holder, last, edit)


def _put(holder: Any, last: str, edit: Raw) -> None:
    if isinstance(holder, dict):
        if edit["op"] == "remove":
            del holder[last]
        else:
            holder[last] = edit["value"]
    elif edit["op"] == "add":
        holder.insert(len(holder) if last == "-" else int(last), edit["value"])
    elif edit["op"] == "set":
        holder[int(last)] = edit["value"]
    else:
        del holder[int(last)]


def _is(one: Raw, version: str, kind: str, namespace: str, name: str) -> bool:
    metadata = one["metadata"]
    there = metadata.get("namespace", "default") if namespace else ""
    return (one["apiVersion"], one["kind"], metadata["name"], there) == (version, kind, name, namespace)


def node_of(name: str, objects: list[Raw], folder: Path) -> str | None:
    """Where the case's pod ends in a run of these objects; ``folder`` takes a file of them."""
    path, case = folder / "cluster.json", CASES[name]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    placed = printed(simulate, [str(path), *case["options"], "--json"])["placements"]
    return None if placed.get(case["pod"]) is None else str(placed[case["pod"]])
