"""The command that builds the static files for an image."""

from __future__ import annotations

from io import StringIO

from django.core.management import call_command

from dashboard.common.assets.build import NAMES


def test_it_builds_into_the_configured_folder_and_says_when_nothing_changed(settings, tmp_path):
    source = tmp_path / "static"
    for name in ("vendor/htmx/htmx.min.js", "vendor/idiomorph/idiomorph-ext.min.js"):
        (source / name).parent.mkdir(parents=True)
        (source / name).write_text("")
    (source / "common").mkdir()
    (source / "common/app.js").write_text("export const a = 1;\n")
    settings.STATICFILES_DIRS, settings.STATIC_ROOT = [source], tmp_path / "built"
    said = []
    for _ in range(2):
        out = StringIO()
        call_command("collectstatic", "--noinput", stdout=out)
        said.append(out.getvalue().split()[-1])
    assert said == ["built", "unchanged"]
    assert (tmp_path / "built" / NAMES).exists()
