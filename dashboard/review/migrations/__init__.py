"""Migrations of the review tables."""
