"""Accounts: workspaces, members, roles, sign-in and the audit log."""
