"""Objects as forms beside their YAML: the fields that matter to scheduling, what they match, and edits written back."""
