"""Addresses of static files on pages."""

from __future__ import annotations

import re

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.test import Client

from dashboard.common.assets.storage import BuiltStaticFiles

ADDRESS = re.compile(r"^/static/common/app\.[0-9a-f]{12}\.js$")


@pytest.mark.slow
def test_a_page_names_built_files():
    assert isinstance(staticfiles_storage, BuiltStaticFiles)
    assert ADDRESS.match(staticfiles_storage.url("common/app.js"))


def test_a_file_that_is_not_there_is_no_address():
    with pytest.raises(KeyError):
        staticfiles_storage.url("common/gone.js")


@pytest.mark.parametrize("encoding", ["br", "gzip", "identity"])
def test_a_built_file_is_kept_for_ever_and_comes_compressed(encoding):
    answer = Client().get(staticfiles_storage.url("common/app.js"), HTTP_ACCEPT_ENCODING=encoding)
    assert answer.status_code == 200
    assert "immutable" in answer["Cache-Control"]
    assert answer.get("Content-Encoding", "identity") == encoding
    assert answer["Vary"] == "Accept-Encoding"


def test_a_source_under_its_own_name_is_asked_about_again():
    answer = Client().get("/static/common/toast.js")
    assert answer.status_code == 200
    assert "immutable" not in answer["Cache-Control"]
