"""The Hugging Face Hub: tasks of benchmark datasets, results for model repositories, uploads of folders."""
