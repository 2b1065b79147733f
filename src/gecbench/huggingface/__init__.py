"""The bridge to Hugging Face: `evaluate` modules, loading by name, scores in training, rewards, uploads and results."""
