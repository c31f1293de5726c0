"""What a machine can check of the design system: equal dark blocks, contrast, known icons, a strict policy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COMMON = ROOT / "static" / "common"
TOKENS = (COMMON / "tokens.css").read_text()
OWN_CSS = [path for path in (ROOT / "static").rglob("*.css") if "vendor" not in path.parts]
OWN_JS = [path for path in (ROOT / "static").rglob("*.js") if "vendor" not in path.parts]
TEMPLATES = list((ROOT / "templates").rglob("*.html"))
MEANINGS = [
    "bound",
    "unsched",
    "unres",
    "backoff",
    "gated",
    "nomin",
    "victim",
    "wait",
    "error",
    "win",
    "second",
    "tie",
    "none",
]


def block(selector: str) -> dict[str, str]:
    """Return the custom properties that the first rule with this selector sets."""
    body = TOKENS.split(selector + " {", 1)[1].split("}", 1)[0]
    return {name: value.strip() for name, value in re.findall(r"(--[\w-]+):\s*([^;]+);", body)}


LIGHT = block("\n:root")
DARK = {**LIGHT, **block(':root[data-theme="dark"]')}


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def test_both_dark_blocks_are_equal():
    assert block(':root[data-theme="dark"]') == block(':root:not([data-theme="light"])')


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("text", ["--t1", "--t2", "--t3"])
@pytest.mark.parametrize("surface", ["--bg", "--s1", "--s2", "--s3", "--cursor-weak"])
def test_text_is_readable_on_every_surface(theme, text, surface):
    assert contrast(theme[text], theme[surface]) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("meaning", MEANINGS)
def test_meanings_are_readable_on_their_tint_and_visible_on_panes(theme, meaning):
    assert contrast(theme[f"--{meaning}-f"], theme[f"--{meaning}-b"]) >= 4.5
    assert contrast(theme[f"--{meaning}-f"], theme["--s1"]) >= 4.5
    assert contrast(theme[f"--{meaning}-s"], theme["--s1"]) >= 3


def test_every_icon_that_a_template_names_exists():
    sprite = (COMMON / "icons.svg").read_text()
    for path in TEMPLATES:
        text = path.read_text()
        named = re.findall(r'{% icon "([\w-]+)"|glyph="([\w-]+)"|data-command-icon="([\w-]+)"', text)
        for name in filter(None, (name for names in named for name in names)):
            assert f'id="i-{name}"' in sprite, f"{path.name}: icon {name}"


def test_every_token_in_use_is_defined_or_has_a_fallback():
    defined = set(re.findall(r"(--[\w-]+)\s*:", "\n".join(path.read_text() for path in OWN_CSS)))
    for path in OWN_CSS:
        assert set(re.findall(r"var\((--[\w-]+)\)", path.read_text())) <= defined, path.name


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def forbidden_in_template(text: str) -> list[str]:
    """Return what the strict policy refuses, or would have to allow."""
    markup = re.sub(r"{[#%].*?[#%]}", "", text)
    refused_parts = re.findall(r"\sstyle\s*=|<style\b|\son\w+\s*=|hx-on", markup)
    scripts = re.findall(r"<script\b[^>]*>", markup)
    refused_parts += [tag for tag in scripts if "src=" not in tag and 'type="application/json"' not in tag]
    return [one.strip() for one in refused_parts] + re.findall(r"\|safe", text)


@pytest.mark.parametrize(
    ("text", "refused_parts"),
    [
        ('<p style="x">', ["style="]),
        ("<style>p {}</style>", ["<style"]),
        ('<p onclick = "x">', ["onclick ="]),
        ('<p data-hx-on:load="x">', ["hx-on"]),
        ("<script>1</script>", ["<script>"]),
        ("{{ text|safe }}", ["|safe"]),
        ('{# style="" #}<script src="{% static "a.js" %}" defer></script><script type="application/json">', []),
    ],
)
def test_what_the_policy_refuses_is_seen(text, refused_parts):
    assert forbidden_in_template(text) == refused_parts


def test_templates_keep_the_strict_policy():
    assert TEMPLATES
    assert {
        name(path): refused_parts for path in TEMPLATES if (refused_parts := forbidden_in_template(path.read_text()))
    } == {}


def test_scripts_keep_the_strict_policy():
    refused = re.compile(
        r"\beval\(|new Function|\.innerHTML\s*=|insertAdjacentHTML|document\.write|cssText|setAttribute\('style'"
    )
    assert OWN_JS
    assert {name(path): refused_parts for path in OWN_JS if (refused_parts := refused.findall(path.read_text()))} == {}


def test_sources_stay_short():
    lines = {name(path): len(path.read_text().splitlines()) for path in (*OWN_CSS, *OWN_JS)}
    assert {name: number for name, number in lines.items() if number > 600} == {}


def test_files_that_the_sheets_name_exist():
    for path in OWN_CSS:
        for name in re.findall(r'url\("([^"]+)"\)', path.read_text()):
            assert (path.parent / name).is_file(), name
