"""HTTP extenders as the framework sees them: what the phases of a cycle ask of them, and what is recorded of a call."""
