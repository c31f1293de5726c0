"""``python requirements/release.py INTO``: what a release consists of, from the last commit of a clean checkout.

- the wheel, with templates and static files within the package ``dashboard``;
- ``wheelhouse.txt``: the wheels that it needs, pinned with hashes, and itself: ``pip download -r`` fills a folder,
  and ``pip install --no-index --find-links`` installs from that folder where no index can be reached;
- the bill of materials (SBOM) in CycloneDX's JSON: the locked packages and the vendored files of pages, with their
  licences, as far as this environment has the same version of the package;
- ``SHA256SUMS`` of these files.

A commit gives the same wheel whenever it is built. A checkout with changes is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import uuid
from importlib.metadata import PackageNotFoundError, metadata
from io import BytesIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PINNED = re.compile(r"^([a-z0-9._-]+)(?:\[[^]]*])?==(\S+)", re.MULTILINE)


def main(root: Path, into: Path) -> None:
    """Write the files of a release into a folder. Ends by SystemExit in one line for a checkout with changes."""
    if changed := _git(root, "status", "--porcelain").decode().splitlines():
        sys.exit(
            f"release: this checkout has changes, a release has none: {changed[0].strip()} ({len(changed)} in all)"
        )
    commit, seconds = _git(root, "log", "-1", "--format=%H %ct").decode().split()
    into.mkdir(parents=True, exist_ok=True)
    if present := sorted(path.name for path in into.iterdir()):
        sys.exit(f"release: {into} is not empty: {present[0]}")
    with tempfile.TemporaryDirectory(prefix="schedscope-release-") as folder:
        source = Path(folder)
        with tarfile.open(fileobj=BytesIO(_git(root, "archive", "HEAD"))) as archive:
            archive.extractall(source, filter="data")
        wheel = build_wheel(source, into, seconds)
        locked = (source / "requirements" / "run.txt").read_text()
        (into / "wheelhouse.txt").write_text(wheel_house(source, wheel, locked))
        version = wheel.name.split("-")[1]
        bill = bill_of_materials(source, locked, commit)
        (into / f"schedscope-{version}.cdx.json").write_text(json.dumps(bill, indent=1) + "\n")
    files = sorted(path for path in into.iterdir())
    (into / "SHA256SUMS").write_text("".join(f"{_sha256(path)}  {path.name}\n" for path in files))
    for path in sorted(into.iterdir()):
        sys.stdout.write(f"{path}\n")


def build_wheel(source: Path, into: Path, seconds: str) -> Path:
    """Return the wheel of a tree, whose files bear the commit's time. Raises CalledProcessError where it fails."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(into.resolve())]
    environment = os.environ | {"SOURCE_DATE_EPOCH": seconds}
    subprocess.run(command, cwd=source, env=environment, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = into.glob("schedscope-*.whl")
    return wheel


def wheel_house(source: Path, wheel: Path, locked: str) -> str:
    """Return the list of wheels, with the hashes by which each is known."""
    return f"{locked.rstrip()}\n{_project(source)['name']}=={wheel.name.split('-')[1]} --hash=sha256:{_sha256(wheel)}\n"


def bill_of_materials(source: Path, locked: str, commit: str) -> dict[str, Any]:
    """Return the CycloneDX document: what the installed program consists of, of which licence."""
    project = _project(source)
    packages = [_package(name, version) for name, version in PINNED.findall(locked)]
    components = packages + _vendored(source / "static" / "vendor" / "MANIFEST.json")
    own = _component("application", project["name"], project["version"], project["license"], "pypi")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, commit)}",
        "version": 1,
        "metadata": {"component": own, "properties": [{"name": "schedscope:commit", "value": commit}]},
        "components": components,
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": [each["bom-ref"] for each in components]}],
    }


def _project(source: Path) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    return project


def _package(name: str, version: str) -> dict[str, Any]:
    """The component of a locked package, with the licence that it names itself."""
    try:
        said = metadata(name)
    except PackageNotFoundError:
        said = {}
    if said.get("Version") != version:  # locked for another platform or Python
        return _component("library", name, version, "", "pypi")
    trove = [text.rpartition(" :: ")[2] for text in said.get_all("Classifier") or () if text.startswith("License ::")]
    other = (trove[0] if trove else "") or (said["License"] or "").partition("\n")[0]
    return _component("library", name, version, said["License-Expression"] or "", "pypi", other)


def _vendored(manifest: Path) -> list[dict[str, Any]]:
    """The components of the files of others that pages load, by package."""
    files = json.loads(manifest.read_text())["files"]
    packages = {(file["package"], file["version"], file["licence"]) for file in files}
    return [_component("library", name, version, licence, "npm") for name, version, licence in sorted(packages)]


def _component(
    kind: str, name: str, version: str, expression: str, index: str, other_licence: str = ""
) -> dict[str, Any]:
    """Return a component; a licence is an SPDX expression, or `other_licence` as the package calls it."""
    place = f"pkg:{index}/{name.replace('@', '%40')}@{version}"
    said = {"expression": expression} if expression else {"license": {"name": other_licence}}
    return {
        "type": kind,
        "bom-ref": place,
        "name": name,
        "version": version,
        "purl": place,
        **({"licenses": [said]} if expression or other_licence else {}),
    }


def _git(root: Path, *words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True).stdout


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main(ROOT, Path(sys.argv[1]))
