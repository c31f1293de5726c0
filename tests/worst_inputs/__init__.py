"""The worst inputs that each reader of foreign text accepts or refuses late: what they cost."""
