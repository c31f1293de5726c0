"""View models of the page's panels: each module turns recorded facts into the contents of one panel's templates."""
