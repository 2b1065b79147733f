"""Fine-tune a causal model with TRL's SFTTrainer.

Score its outputs, and keep the checkpoint with the best GLEU.

    python examples/sft.py                              # HuggingFaceTB/SmolLM2-135M-Instruct, fetched from the Hub
    python examples/sft.py --model tiny --steps 8       # a tiny random model, for a quick try
    torchrun --nproc-per-node 2 examples/sft.py --model tiny --steps 8      # two processes, on CPUs too

Install the packages: `pip install "gecbench[transformers] @ git+https://github.com/gecbench/gecbench" trl`.

JFLEG has no training split. To keep the example short, we train on the four rewrites of the validation split and
evaluate on the test split. For results to publish, train on a training corpus and evaluate on the validation split.
"""

import argparse

import datasets
import tiny
import torch
import transformers
import trl

import gecbench
from gecbench.models.prompts import find_prompt

PROMPT = "Correct the sentence: {sentence}"


def rows_of(corpus):
    """Return prompts and completions in raw text, one row for each rewrite."""
    fill = find_prompt(PROMPT).fill
    pairs = [(source, text) for source, texts in zip(corpus.sources, corpus.references, strict=True) for text in texts]
    sources, texts = map(gecbench.detokenize, zip(*pairs, strict=True))
    return datasets.Dataset.from_dict(
        {
            "prompt": [[{"role": "user", "content": fill(source)}] for source in sources],
            "completion": [[{"role": "assistant", "content": text}] for text in texts],
        }
    )


def main():
    """Train with regular evaluations, and print the best score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="HuggingFaceTB/SmolLM2-135M-Instruct")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--train", default="jfleg:validation", help="corpus to train on")
    parser.add_argument("--eval", default="jfleg:test", help="corpus to score on")
    parser.add_argument(
        "--sentences", type=int, metavar="N", help="score the first N sentences (default: all; tiny: 20)"
    )
    parser.add_argument("--new-tokens", type=int, metavar="N", help="generate up to N tokens (default: 128; tiny: 24)")
    parser.add_argument("--output", default="sft-jfleg")
    options = parser.parse_args()

    train, scored = gecbench.load_corpus(options.train), gecbench.load_corpus(options.eval)
    is_tiny = options.model == "tiny"
    scored = scored.select(range(min(len(scored), options.sentences or (20 if is_tiny else len(scored)))))
    if is_tiny:
        tokenizer, model = tiny.tiny_causal(gecbench.detokenize(train.sources))
    else:
        tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
        model = transformers.AutoModelForCausalLM.from_pretrained(options.model)

    length = options.new_tokens or (24 if is_tiny else 128)
    scores = gecbench.GenerateAndScore(scored, ["gleu", "m2"], prompt=PROMPT, generation={"max_new_tokens": length})
    every = max(1, options.steps // 4)
    trainer = trl.SFTTrainer(
        model=model,
        processing_class=tokenizer,
        args=trl.SFTConfig(
            output_dir=options.output,
            max_steps=options.steps,
            per_device_train_batch_size=8,
            learning_rate=1e-3 if is_tiny else 2e-5,
            logging_steps=every,
            eval_strategy="steps",
            eval_steps=every,
            save_strategy="steps",
            save_steps=every,
            save_total_limit=2,
            load_best_model_at_end=True,
            metric_for_best_model="gleu",
            use_cpu=not torch.cuda.is_available(),
            bf16=False,
            report_to="none",
        ),
        train_dataset=rows_of(train),
        eval_dataset=rows_of(scored).select(range(min(20, len(scored)))),
        callbacks=[scores, transformers.EarlyStoppingCallback(early_stopping_patience=2)],
    )
    trainer.train()
    state, processes = trainer.state, trainer.args.world_size
    if trainer.is_world_process_zero():
        best = f"best GLEU {100 * state.best_metric:.2f} at step {state.best_global_step} of {state.global_step}"
        print(f"{best}, {processes} process{'es' if processes > 1 else ''}")


if __name__ == "__main__":
    main()
