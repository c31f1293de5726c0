"""The forms of a comparison, also with names that are meant to harm."""

from __future__ import annotations

import csv
import re

import msgspec
import pytest
from markdown_it import MarkdownIt

from scheduler_core.compare.comparison import RunComparison
from scheduler_core.compare.figures import figure_groups
from scheduler_core.compare.pods import PodEnd, PodsApart, pod_differences, side_totals
from scheduler_core.compare.report import COLUMNS, SAME, as_csv, as_markdown, as_text, escaped
from scheduler_core.compare.resources import ResourceDifference, ResourceUse

NO_TOTALS = (side_totals([], 0), side_totals([], 0))
HOSTILE = '=HYPERLINK("http://x")|<script>'


def compared(*names: str) -> RunComparison:
    there = PodEnd("bound", "=node", 1_500_000, "", 2, 7)
    gone = PodEnd("preempted", "+n", -1, "preempted by @a/b", 1, 3)
    keys = [(name, "-u", 0) for name in names]
    totals = side_totals([there], 1_234), side_totals([gone], 9)
    resources = (ResourceDifference("cpu", ResourceUse(share=0.5), ResourceUse()),)
    return RunComparison(
        seqs=(10, 12),
        n_pods=5,
        totals=totals,
        inputs=(),
        divergence=None,
        pods=tuple(pod_differences(dict.fromkeys(keys, there), dict.fromkeys(keys, gone))),
        resources=resources,
        figures=figure_groups(totals, resources, PodsApart()),
    )


@pytest.mark.parametrize(
    "hostile",
    [
        "https://evil.example/x",
        "see HTTP://evil.example",
        "www.evil.example",
        "mailto:a@evil.example",
        "a@evil.example",
        "<https://evil.example>",
        "[x](https://evil.example)",
        "![x](//evil.example/pixel.png)",
        "[x]: https://evil.example",
        "`code`\n# title\n- [ ] task",
        "<img src=x onerror=alert(1)>",
    ],
)
def test_foreign_text_is_neither_link_nor_markup(hostile: str) -> None:
    markdown = MarkdownIt("gfm-like").render(f"{escaped(hostile)}\n")
    assert re.findall(r"<(?!/?p>)", markdown) == []


def test_foreign_text_names_nobody_and_turns_nothing() -> None:
    shown = escaped("@all ping @org/team, see #12 \u202eevil\u2066\u0007")
    assert re.findall(r"[@#]\w", shown) == []
    assert "\u202e" not in shown
    assert "\u2066" not in shown
    assert shown.isascii() or set(shown) - set(map(chr, range(128))) == {"\u2060"}


def test_cells_that_a_spreadsheet_would_compute_are_quoted() -> None:
    head, row = csv.reader(as_csv(compared(f"{HOSTILE}/+pod")))
    assert tuple(head) == COLUMNS
    cells = dict(zip(head, row, strict=True))
    assert cells["namespace"].startswith("'=HYPERLINK(")
    assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@"))]
    assert (cells["wait_seconds_a"], cells["last_cycle_b"], cells["node_a"]) == ("1.500000", "3", "'=node")


def test_a_pod_of_one_side_has_empty_cells_on_the_other() -> None:
    end = PodEnd("bound", "n", 0, "", 1, 1)
    (only,) = pod_differences({("a/b", "", 0): end}, {})
    rows = list(csv.reader(as_csv(RunComparison((1, 1), 1, NO_TOTALS, (), None, (only,), ()))))
    assert rows[1] == ["a", "b", "", "0", "only in A", "", "bound", "n", "0.000000", "", "1", "1", "", *[""] * 7]


def test_markdown_escapes_names_and_keeps_rows_whole() -> None:
    text = "\n".join(as_markdown(compared("a/x|y\n# <b>")))
    assert "<b>" not in text.replace("\\<b\\>", "")
    row = next(line for line in text.splitlines() if "evicted only in B" in line and line.startswith("|"))
    assert "a/x\\|y \\# \\<b\\>" in row


def test_lines_say_what_is_the_same() -> None:
    lines = list(as_text(compared()))
    assert lines[0] == SAME
    assert [line for line in lines if line.startswith("0 of 5 ")]
    at = lines.index("cpu requested")
    assert [line.strip().split(", ")[0] for line in lines[at + 1 : at + 3]] == [
        "requested: 0.5000 | none",
        "Balance: none | none",
    ]


def test_figures_stand_beside_each_other_in_text_and_markdown() -> None:
    lines = list(as_text(compared()))
    # The same names stand in two groups, the waits of bound pods first.
    figures = dict(line.strip().split(": ", 1) for line in reversed(lines) if ": " in line)
    assert (figures["Cycles"], figures["Bindings"]) == ("1,234 | 9", "1 | 0")
    assert (figures["Bound"], figures["Preempted"]) == ("1 | 0", "0 | 1, worse")
    assert figures["Median"].split(", ")[0].split(" | ") == ["1.5 s", "none"]
    longest = next(line for line in as_markdown(compared()) if "Longest" in line)
    assert longest.split("|")[2:4] == [" 1.5 s ", " none "]
    assert "Gated" not in figures


def rows_of(*ends: tuple[tuple[str, str, int], PodEnd | None, PodEnd | None]) -> list[list[str]]:
    """The rows of pods of the Markdown form: group, pod, and how it ended on either side."""
    comparison = msgspec.structs.replace(
        compared(), pods=tuple(pod_differences({key: a for key, a, _ in ends}, {key: b for key, _, b in ends}))
    )
    lines = [line.strip("| ").split(" | ") for line in as_markdown(comparison) if line.startswith("| ")]
    first = next(i for i, cells in enumerate(lines) if cells[0] == "Difference")
    return [[cell.replace("\\", "") for cell in cells] for cells in lines[first + 2 : first + 2 + len(ends)]]


def test_words_of_how_pods_ended() -> None:
    bound, at_once = PodEnd("bound", "n1", 1_500_000, "", 1, 7), PodEnd("bound", "n2", 0, "", 1, 7)
    waits, arrived = PodEnd("pending", "", -1, "", 1, 7, 2_000_000), PodEnd("pending", "", -1, "", 1, 7, 0)
    evicted = PodEnd("preempted", "n1", -1, "preempted by a/b", 1, 3)
    assert rows_of(
        (("x/p", "", 0), bound, waits),
        (("x/p", "", 1), at_once, arrived),
        (("x/q", "u1", 2), bound, evicted),
    ) == [
        ["placed only in A", "x/p", "bound on n1 after 1.5 s", "pending for 2 s so far"],
        ["placed only in A", "x/p no. 2", "bound on n2 after 0 s", "pending for 0 s so far"],
        ["evicted only in B", "x/q (u1) no. 3", "bound on n1 after 1.5 s", "preempted on n1, preempted by a/b"],
    ]
