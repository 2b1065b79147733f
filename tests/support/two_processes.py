"""Run by torchrun: outputs of the demo in strided shards with repeats, through everything that gathers them."""

import json
import os
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import torch
import transformers

import gecbench

NAMES = ("gleu", "m2", "imeasure")


def main(folder):
    warnings.simplefilter("ignore")
    torch.distributed.init_process_group("gloo")
    rank, size = torch.distributed.get_rank(), torch.distributed.get_world_size()
    corpus, outputs = gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"]
    sampler = torch.utils.data.DistributedSampler(range(len(corpus)), size, rank, shuffle=True, seed=4)
    places = [*sampler, next(iter(sampler))]

    total = gecbench.Accumulator(corpus, NAMES)
    total.update(places, [outputs[i] for i in places])
    total.gather()
    found = {"accumulator": {name: score.value for name, score in total.compute().items()}, "torchmetrics": {}}

    for name, kind in zip(NAMES, ("GLEU", "M2", "IMeasure"), strict=True):
        metric = getattr(gecbench.torchmetrics, kind)(corpus)
        for begin in range(0, len(places), 8):
            part = places[begin : begin + 8]
            metric.update([outputs[i] for i in part], ids=part)
        found["torchmetrics"][name] = metric.compute().item()

    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    scores = gecbench.GenerateAndScore(corpus.select(range(9)), NAMES, generation={"max_new_tokens": 6})
    args = SimpleNamespace(process_index=rank, world_size=size, per_device_eval_batch_size=2)
    found["generated"] = scores.evaluate(model, tokenizer, args)
    (Path(folder) / f"{size}-{rank}.json").write_text(json.dumps(found), encoding="utf-8")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    main(sys.argv[1])
