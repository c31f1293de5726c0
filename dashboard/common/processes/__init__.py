"""The processes of an installation: supervisor, worker, broker, garbage collector."""
