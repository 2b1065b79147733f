"""Run by torchrun: outputs of the demo in strided shards with repeats, through everything that gathers them."""

import json
import os
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import datasets
import torch
import transformers

import gecbench

NAMES = ("gleu", "m2", "imeasure")


def accumulated(corpus, outputs, places):
    """Return the values of an accumulator."""
    total = gecbench.Accumulator(corpus, NAMES)
    total.update(places, [outputs[i] for i in places])
    total.gather()
    return {name: score.value for name, score in total.compute().items()}


def synchronized(corpus, outputs, places, own_texts):
    """Return the values of torchmetrics, whose updates bring the ids alone or sources and references, too."""
    found = {}
    for name, kind in zip(NAMES, ("GLEU", "M2", "IMeasure"), strict=True):
        metric = getattr(gecbench.torchmetrics, kind)(None if own_texts else corpus)
        for begin in range(0, len(places), 8):
            part = places[begin : begin + 8]
            texts = {"sources": corpus.sources, "references": corpus.references} if own_texts else {}
            columns = {column: [rows[i] for i in part] for column, rows in texts.items()}
            metric.update([outputs[i] for i in part], ids=part, **columns)
        found[name] = metric.compute().item()
    return found


def trained(folder, corpus, outputs, batched):
    """Return what Seq2SeqTrainer evaluates, in batches of 4: a model that writes the outputs by their inputs."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "words")
    shape = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}
    config = transformers.T5Config(vocab_size=len(tokenizer), decoder_start_token_id=0, **shape)
    model = transformers.T5ForConditionalGeneration(config)
    pairs = zip(tokenizer(list(corpus.sources))["input_ids"], tokenizer(list(outputs))["input_ids"], strict=True)
    written = {tuple(row): torch.tensor(output) for row, output in pairs}

    def generate(input_ids, **_):
        rows = [written[tuple(token for token in row if token)] for row in input_ids.tolist()]
        return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)

    model.generate = generate
    encoded = tokenizer(list(corpus.sources), text_target=[texts[0] for texts in corpus.references])
    columns = {name: encoded[name] for name in ("input_ids", "attention_mask", "labels")}
    trainer = transformers.Seq2SeqTrainer(
        model=model,
        args=transformers.Seq2SeqTrainingArguments(
            output_dir=str(folder / "out"),
            predict_with_generate=True,
            batch_eval_metrics=batched,
            per_device_eval_batch_size=4,
            use_cpu=True,
            report_to="none",
        ),
        eval_dataset=datasets.Dataset.from_dict(columns),
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer, model=model),
        compute_metrics=gecbench.compute_metrics(tokenizer, corpus, NAMES),
    )
    found = trainer.evaluate()
    return {name: found[f"eval_{name}"] for name in (*NAMES, "empty", "unrelated")}


def generated(folder, corpus, rank, size):
    """Return what the callback finds for an untrained model."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    scores = gecbench.GenerateAndScore(corpus, NAMES, generation={"max_new_tokens": 6})
    args = SimpleNamespace(process_index=rank, world_size=size, per_device_eval_batch_size=2)
    return scores.evaluate(model, tokenizer, args)


def main(folder):
    warnings.simplefilter("ignore")
    torch.distributed.init_process_group("gloo")
    rank, size = torch.distributed.get_rank(), torch.distributed.get_world_size()
    corpus, outputs = gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"]
    sampler = torch.utils.data.DistributedSampler(range(len(corpus)), size, rank, shuffle=True, seed=4)
    places = [*sampler, next(iter(sampler))]
    found = {
        "accumulator": accumulated(corpus, outputs, places),
        "torchmetrics": synchronized(corpus, outputs, places, own_texts=False),
        "torchmetrics with texts": synchronized(corpus, outputs, places, own_texts=True),
        "generated": generated(folder, corpus.select(range(9)), rank, size),
        "trainer": trained(folder, corpus, outputs, batched=False),
        "trainer in batches": trained(folder, corpus, outputs, batched=True),
    }
    (folder / f"{size}-{rank}.json").write_text(json.dumps(found), encoding="utf-8")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    main(Path(sys.argv[1]))
