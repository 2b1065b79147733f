"""The bridge to Hugging Face: `evaluate` modules, bare names, uploads, results, tasks."""
