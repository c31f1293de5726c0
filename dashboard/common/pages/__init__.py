"""What pages share: navigation, numbers, pagination, styles of states."""
