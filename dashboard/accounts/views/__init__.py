"""Pages of accounts: sign_in (coming and going), account (one's own), workspace (members, settings, audit log)."""
