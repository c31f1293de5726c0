"""The page that sets nodes of one cycle against each other: why this one, and not that one."""
