"""A followed cluster held against the engine: asked for by people, made by workers, by the hour from then on."""
