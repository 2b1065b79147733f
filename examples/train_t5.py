"""Fine-tune a T5 model on JFLEG and keep the checkpoint with the best GLEU.

    python examples/train_t5.py                              # google-t5/t5-small, fetched from the Hub
    python examples/train_t5.py --model tiny --steps 20      # a tiny random model, for a quick try
    torchrun --nproc-per-node 2 examples/train_t5.py --model tiny --steps 20      # two processes, on CPUs too

Install the packages: `pip install "gecbench[transformers] @ git+https://github.com/gecbench/gecbench" accelerate`.

JFLEG has no training split. To keep the example short, we train on the four rewrites of the validation split and
evaluate on the test split. For results to publish, train on a training corpus and evaluate on the validation split.
"""

import argparse
import time

import datasets
import evaluate
import tiny
import torch
import transformers

import gecbench

PROMPT = "gec: "


def make_model(name, texts):
    """Load a tokenizer and a model from the Hub or a folder.

    `tiny` is a new model with random weights.
    """
    if name == "tiny":
        return tiny.tiny_seq2seq(texts)
    tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    return tokenizer, transformers.AutoModelForSeq2SeqLM.from_pretrained(name)


def encode(tokenizer, sources, targets, length):
    """Tokenize sources and targets as raw text, and return model inputs with labels."""
    prompts = [PROMPT + text for text in gecbench.detokenize(sources)]
    return tokenizer(prompts, text_target=gecbench.detokenize(targets), max_length=length, truncation=True)


def main():
    """Train with regular evaluations, and print the score of the best model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="google-t5/t5-small")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument(
        "--sentences", type=int, metavar="N", help="evaluate on the first N sentences (default: all; tiny: 100)"
    )
    parser.add_argument("--length", type=int, metavar="N", help="cut sentences to N tokens (default: 128; tiny: 48)")
    parser.add_argument("--output", default="t5-jfleg")
    options = parser.parse_args()
    is_tiny = options.model == "tiny"
    options.length = options.length or (48 if is_tiny else 128)
    every = max(1, options.steps // (2 if is_tiny else 10))

    gecbench.register()
    jfleg = datasets.load_dataset("jfleg")
    tokenizer, model = make_model(options.model, gecbench.detokenize(jfleg["validation"]["sentence"][:]))

    train = [(row["sentence"], text) for row in jfleg["validation"] for text in row["corrections"]]
    train = datasets.Dataset.from_dict(dict(encode(tokenizer, *zip(*train, strict=True), options.length)))
    corpus = gecbench.load_corpus("jfleg:test")
    corpus = corpus.select(range(options.sentences or (100 if is_tiny else len(corpus))))
    first_references = [texts[0] for texts in corpus.references]
    test = datasets.Dataset.from_dict(dict(encode(tokenizer, corpus.sources, first_references, options.length)))

    metrics = gecbench.compute_metrics(tokenizer, corpus, metrics=["gleu"], tokenize="auto")
    seconds = []

    def timed(evaluated):
        start = time.perf_counter()
        found = metrics(evaluated)
        seconds.append(time.perf_counter() - start)
        return found

    trainer = transformers.Seq2SeqTrainer(
        model=model,
        args=transformers.Seq2SeqTrainingArguments(
            output_dir=options.output,
            max_steps=options.steps,
            per_device_train_batch_size=8,
            per_device_eval_batch_size=32,
            learning_rate=1e-3,
            predict_with_generate=True,
            generation_max_length=options.length,
            eval_strategy="steps",
            save_strategy="steps",
            eval_steps=every,
            save_steps=every,
            save_total_limit=2,
            load_best_model_at_end=True,
            metric_for_best_model="gleu",
            use_cpu=not torch.cuda.is_available(),
            report_to="none",
        ),
        train_dataset=train,
        eval_dataset=test,
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer, model=model),
        compute_metrics=timed,
        callbacks=[transformers.EarlyStoppingCallback(early_stopping_patience=3)],
    )
    trainer.train()

    written = trainer.predict(test).predictions[: len(corpus)]  # several processes add repeated sentences at the end
    predictions = tokenizer.batch_decode(
        [[token for token in row if token >= 0] for row in written], skip_special_tokens=True
    )
    if not trainer.is_world_process_zero():
        return
    gleu = evaluate.load("gleu")
    result = gleu.compute(
        sources=corpus.sources, predictions=predictions, references=corpus.references, tokenize="auto", tokenized=True
    )
    print(f"GLEU {100 * result['gleu']:.2f}  {result['signature']}")
    print(f"scoring took {1000 * sum(seconds) / len(seconds):.0f} ms per evaluation of {len(corpus)} sentences")


if __name__ == "__main__":
    main()
