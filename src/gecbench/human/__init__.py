"""Human performance and judgments: upper bound, ranking, agreement, extent of change, meta-evaluation."""
