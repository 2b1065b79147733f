"""Train a causal model with TRL's GRPOTrainer.

The rewards are GLEU and the gain in M2 over the source.

    python examples/grpo.py                             # HuggingFaceTB/SmolLM2-135M-Instruct, fetched from the Hub
    python examples/grpo.py --model tiny --steps 3      # a tiny random model, for a quick try
    torchrun --nproc-per-node 2 examples/grpo.py --model tiny --steps 3      # two processes, on CPUs too

Install the packages: `pip install "gecbench[transformers] @ git+https://github.com/gecbench/gecbench" trl`.
"""

import argparse

import datasets
import tiny
import torch
import transformers
import trl

import gecbench
from gecbench.models.prompts import find_prompt


def main():
    """Train, and print the mean rewards of the last step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="HuggingFaceTB/SmolLM2-135M-Instruct")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--train", default="jfleg:validation", help="corpus to train on")
    parser.add_argument("--new-tokens", type=int, metavar="N", help="generate up to N tokens (default: 128; tiny: 24)")
    parser.add_argument("--output", default="grpo-jfleg")
    options = parser.parse_args()

    corpus = gecbench.load_corpus(options.train)
    raw, is_tiny = gecbench.detokenize(corpus.sources), options.model == "tiny"
    if is_tiny:
        tokenizer, model = tiny.tiny_causal(raw)
    else:
        tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
        model = transformers.AutoModelForCausalLM.from_pretrained(options.model)

    prompt = find_prompt("Correct the sentence: {sentence}")
    rows = {
        "prompt": [[{"role": "user", "content": prompt.fill(sentence)}] for sentence in raw],
        "sentence": list(corpus.sources),
        "corrections": [list(texts) for texts in corpus.references],
    }
    columns = {"source": "sentence", "references": "corrections"}
    trainer = trl.GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=[gecbench.reward("gleu", **columns), gecbench.reward("m2", **columns, baseline="source")],
        args=trl.GRPOConfig(
            output_dir=options.output,
            max_steps=options.steps,
            per_device_train_batch_size=8,
            num_generations=4,
            max_completion_length=options.new_tokens or (24 if is_tiny else 128),
            logging_steps=1,
            save_strategy="no",
            use_cpu=not torch.cuda.is_available(),
            bf16=False,
            report_to="none",
        ),
        train_dataset=datasets.Dataset.from_dict(rows),
    )
    trainer.train()
    if trainer.is_world_process_zero():
        last = next(entry for entry in reversed(trainer.state.log_history) if "reward" in entry)
        means = ", ".join(f"{name} {last[f'rewards/{name}/mean']:.4f}" for name in ("gleu", "m2"))
        print(f"mean rewards of step {trainer.state.global_step}: {means}")


if __name__ == "__main__":
    main()
