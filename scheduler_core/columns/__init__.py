"""The cluster as columns: node table, placed pods by equivalence class, interned labels and taints, change log."""
