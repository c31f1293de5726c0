"""Tags of the comparison's templates."""
