"""What answers for extenders in runs: tapes, uploaded as files, and extenders declared as rules."""
