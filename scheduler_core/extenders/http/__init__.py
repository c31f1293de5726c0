"""Calls to real extenders over HTTP, for the command line alone: the dashboard calls nothing outside, ever."""
