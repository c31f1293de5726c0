"""What of a subject is worth a look, in groups, and what of it each member has viewed."""
