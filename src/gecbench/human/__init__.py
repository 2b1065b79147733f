"""Human performance and human judgments: bound, ranking, agreement, extent of change, meta-evaluation."""
