"""Migrations of runs."""
