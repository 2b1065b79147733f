"""The tasks of gecbench for lighteval.

Run them with `lighteval accelerate MODEL_ARGS "gecbench:jfleg|0" --custom-tasks <this file>`.
"""

from gecbench.harness.lighteval_tasks import tasks

TASKS_TABLE = tasks()
