"""Options, inputs and progress that commands share."""
