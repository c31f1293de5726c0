"""Event types, frames, codec, reader with random access: the only format that replay reads."""
