"""Values of environment variables: what counts as yes, lists of words, networks and origins, and what is refused."""

from __future__ import annotations

import sys

import pytest
from django.core.exceptions import ImproperlyConfigured

from dashboard import environment
from dashboard.data_folder import DataFolderError


def test_a_program_that_reads_wrong_settings_ends_with_one_line_and_others_with_their_traceback(monkeypatch, capsys):
    others = []
    monkeypatch.setattr(sys, "excepthook", lambda *error: others.append(error))
    environment.end_in_one_line()
    for error in (DataFolderError("no folder"), ImproperlyConfigured("no hosts")):
        sys.excepthook(type(error), error, None)
    assert capsys.readouterr().err == "schedscope: no folder\nschedscope: no hosts\n"
    assert others == []
    error = ValueError("ours")
    sys.excepthook(ValueError, error, None)
    assert others == [(ValueError, error, None)]


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("True", True), ("on", True), ("0", False), ("", False)])
def test_a_flag_is_set_by_the_usual_words(monkeypatch, value, expected):
    monkeypatch.setenv("SOME_FLAG", value)
    assert environment.flag("SOME_FLAG") is expected


def test_a_flag_that_is_absent_has_its_default(monkeypatch):
    monkeypatch.delenv("SOME_FLAG", raising=False)
    assert [environment.flag("SOME_FLAG", default) for default in (False, True)] == [False, True]


def test_words_are_separated_by_commas_and_trimmed(monkeypatch):
    monkeypatch.setenv("SOME_WORDS", " a, ,b ,")
    assert environment.words("SOME_WORDS", "c") == ["a", "b"]
    monkeypatch.delenv("SOME_WORDS")
    assert environment.words("SOME_WORDS", "c,d") == ["c", "d"]


def test_networks_may_be_single_addresses(monkeypatch):
    monkeypatch.setenv("SOME_NETWORKS", "127.0.0.1,10.0.0.0/8,::1")
    assert [str(network) for network in environment.networks("SOME_NETWORKS")] == [
        "127.0.0.1/32",
        "10.0.0.0/8",
        "::1/128",
    ]


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (environment.networks, "10.0.0.0/33"),
        (environment.networks, "example.org"),
        (environment.origins, "example.org"),
        (environment.origins, "https://example.org/path"),
    ],
)
def test_a_wrong_value_is_an_error_of_one_line_that_names_the_variable(monkeypatch, read, value):
    monkeypatch.setenv("SOME_NAME", value)
    with pytest.raises(ImproperlyConfigured, match=r"^SOME_NAME: .*such as [^\n]*$"):
        read("SOME_NAME")


def test_https_origins_of_a_domain_include_what_is_below_it():
    assert environment.https_origins(["localhost", ".example.org", "*"]) == [
        "https://localhost",
        "https://example.org",
        "https://*.example.org",
    ]
