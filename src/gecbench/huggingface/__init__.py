"""The connection to the libraries and the Hub of Hugging Face.

It has `evaluate` modules, loading by name, scores in training, rewards, uploads and results.
"""
