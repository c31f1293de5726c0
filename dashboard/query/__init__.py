"""Queries over runs: answered by SQL where database rows hold everything that a query asks for, else by an answer
worker that reads the recording's chunks.

Pages call `searching.search(access, scope, Search(query, ...))`, which yields one answer for each run of the scope.
"""
