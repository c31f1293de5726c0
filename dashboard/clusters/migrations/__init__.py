"""Migrations of clusters."""
