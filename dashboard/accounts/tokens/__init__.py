"""Tokens of programs: what they may do, made and revoked, checked and counted."""
