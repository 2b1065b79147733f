"""M2, the MaxMatch score."""
