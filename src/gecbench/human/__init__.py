"""Human judgments and human performance: bound, ranking, agreement, extent of change, correlation with metrics."""
