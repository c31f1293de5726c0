"""Comments beside the changes of a cluster: on the pages of a draft and of the difference of two revisions."""
