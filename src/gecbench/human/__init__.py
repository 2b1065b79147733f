"""The human side: rankings, agreement, the human bound, extent of change, correlation with metrics."""
