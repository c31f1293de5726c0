"""View models of the page's panels: each module turns recorded facts into what one panel's templates show."""
