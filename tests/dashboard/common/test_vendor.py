"""The vendored files are exactly those of the manifest, each with a licence."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

VENDOR = Path(__file__).parents[3] / "static" / "vendor"
OURS = {"MANIFEST.json", "README.md"}
ENTRIES = {entry["file"]: entry for entry in json.loads((VENDOR / "MANIFEST.json").read_text())["files"]}


def test_every_file_is_listed_and_every_listed_file_is_there():
    there = {path.relative_to(VENDOR).as_posix() for path in VENDOR.rglob("*") if path.is_file()} - OURS
    assert there == set(ENTRIES)


def test_hashes_agree():
    wrong = [name for name, entry in ENTRIES.items() if digest(name) != entry["sha256"]]
    assert wrong == []


def test_every_entry_names_package_version_and_a_licence_text_that_exists():
    for name, entry in ENTRIES.items():
        assert entry["package"], name
        assert entry["version"][0].isdigit(), name
        assert entry["licence"] in {"0BSD", "BSD-3-Clause", "MIT", "OFL-1.1"}, name
        assert len((VENDOR / entry["licence_text"]).read_text()) > 500, name


def digest(name: str) -> str:
    return hashlib.sha256((VENDOR / name).read_bytes()).hexdigest()
