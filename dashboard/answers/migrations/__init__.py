"""Migrations of answers."""
