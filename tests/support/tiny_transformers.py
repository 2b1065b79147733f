"""Tiny models of the transformers library with random weights, made here and never fetched."""

from __future__ import annotations

import pytest

import gecbench

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

CORPUS = gecbench.Corpus(
    sources=["he go home", "", "they is here and there and everywhere", "a cat sleep", "  ", "home"],
    references=[["he goes home"], [""], ["they are here"], ["a cat sleeps"], [""], ["home"]],
    name="tiny",
)
WORDS = ["he", "go", "goes", "home", "they", "is", "are", "here", "and", "there", "everywhere"]
WORDS += ["a", "cat", "sleep", "sleeps", "fix", ":", "user", "assistant"]
CHAT_TEMPLATE = "{% for turn in messages %}{{ turn['role'] }} {{ turn['content'] }} {% endfor %}assistant"


def save_tokenizer(folder, words, **options):
    special = ["<pad>", "</s>", "<unk>"]
    vocabulary = {word: number for number, word in enumerate([*special, *words])}
    plain = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    plain.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    for name, value in options.items():
        setattr(fast, name, value)
    fast.save_pretrained(folder)
    return len(vocabulary)


def make_causal(folder, chat_template=CHAT_TEMPLATE):
    size = save_tokenizer(folder, WORDS, chat_template=chat_template)
    torch.manual_seed(4)
    shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    ends = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    config = transformers.LlamaConfig(vocab_size=size, **shape, **ends, num_key_value_heads=2)
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder
