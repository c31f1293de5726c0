"""Queries over runs: by rows in SQL where these hold what is asked, else by chunks, in an answer worker.

`searching.search(access, scope, Search(query, ...))` is what pages call; it yields an answer for each run of the scope.
"""
