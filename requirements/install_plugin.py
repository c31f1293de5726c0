"""``python requirements/install_plugin.py FOLDER...``: installs plugins' packages of this project in this environment.

It copies the packages that each folder's pyproject.toml names and writes their metadata, as pip would. pip itself would
fetch a build system first, of no pinned version, for what is a copy of a few files.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
import tomllib
from pathlib import Path


def install(folder: Path, site: Path) -> None:
    """Put the package of a folder into a folder of packages, in place of an earlier version of it."""
    description = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    project, packages = description["project"], description["tool"]["setuptools"]["packages"]
    name = project["name"].replace("-", "_")
    for earlier in (*site.glob(f"{name}-*.dist-info"), *(site / package for package in packages)):
        shutil.rmtree(earlier, ignore_errors=True)
    for package in packages:
        shutil.copytree(folder / package, site / package, ignore=shutil.ignore_patterns("__pycache__"))
    metadata = site / f"{name}-{project['version']}.dist-info"
    metadata.mkdir(parents=True)
    required = "".join(f"Requires-Dist: {one}\n" for one in project.get("dependencies", ()))
    described = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n{required}"
    (metadata / "METADATA").write_text(described, encoding="utf-8")
    (metadata / "INSTALLER").write_text("make\n", encoding="utf-8")
    groups = project.get("entry-points", {}).items()
    lines = [line for group, points in groups for line in (f"[{group}]", *(f"{k} = {v}" for k, v in points.items()))]
    (metadata / "entry_points.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    files = [path for top in (*(site / package for package in packages), metadata) for path in sorted(top.rglob("*"))]
    record = [f"{path.relative_to(site).as_posix()},," for path in files if path.is_file()]
    own = (metadata / "RECORD").relative_to(site).as_posix()
    (metadata / "RECORD").write_text("\n".join([*record, f"{own},,", ""]), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        install(Path(name), Path(sysconfig.get_path("purelib")))
