"""Tiny models with random weights, to try the examples quickly."""

import tokenizers
import torch
import transformers

CHAT_TEMPLATE = (
    "{% for turn in messages %}<{{ turn['role'] }}>{{ turn['content'] }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


def tiny_tokenizer(texts, size=600):
    """Return a byte-level BPE tokenizer trained on texts.

    Also make PyTorch use one thread.
    """
    torch.set_num_threads(1)  # with several threads, such a small model would wait for 90% of the time
    plain = tokenizers.Tokenizer(tokenizers.models.BPE())
    plain.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=["<pad>", "</s>", "<user>", "<assistant>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    plain.train_from_iterator(texts, trainer)
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="<pad>", eos_token="</s>")
    made.chat_template = CHAT_TEMPLATE
    return made


def tiny_causal(texts):
    """Return a tokenizer and a causal chat model with random weights."""
    tokenizer = tiny_tokenizer(texts)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    return tokenizer, transformers.LlamaForCausalLM(config)


def tiny_seq2seq(texts):
    """Return a T5 model with random weights, and a tokenizer that adds </s>."""
    tokenizer = tiny_tokenizer(texts)
    end = ("</s>", tokenizer.eos_token_id)
    tokenizer.backend_tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[end]
    )
    ends = {"decoder_start_token_id": tokenizer.pad_token_id, "pad_token_id": tokenizer.pad_token_id}
    config = transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        eos_token_id=tokenizer.eos_token_id,
        **ends,
    )
    return tokenizer, transformers.T5ForConditionalGeneration(config)
