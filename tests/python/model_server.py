"""A real OpenAI-compatible server (llama.cpp, PyPI xllamacpp) of a tiny model with random weights: nonsense in the real
form. Prints its address when it answers, and ends when its standard input does."""

import sys
import tempfile
from pathlib import Path

import gguf
import numpy
import xllamacpp

WIDTH, HEADS, LAYERS, INNER, CONTEXT = 64, 4, 2, 128, 4096
TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}\n{% endfor %}<assistant>"
)


def write(path: Path) -> None:
    """A model of the llama kind whose words are bytes."""
    words = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    words += [chr(byte) for byte in range(32, 127)]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    kinds += [gguf.TokenType.BYTE] * 256
    kinds += [gguf.TokenType.NORMAL] * (len(words) - len(kinds))
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(words))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(words)
    writer.add_token_scores([0.0] * len(words))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template(TEMPLATE)
    random = numpy.random.default_rng(7)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, (random.standard_normal(shape) * 0.1).astype(numpy.float32))

    def norm(name: str) -> None:
        writer.add_tensor(name, numpy.ones(WIDTH, dtype=numpy.float32))

    tensor("token_embd.weight", len(words), WIDTH)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        norm(f"{block}.attn_norm.weight")
        norm(f"{block}.ffn_norm.weight")
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            tensor(f"{block}.{part}.weight", WIDTH, WIDTH)
        tensor(f"{block}.ffn_gate.weight", INNER, WIDTH)
        tensor(f"{block}.ffn_up.weight", INNER, WIDTH)
        tensor(f"{block}.ffn_down.weight", WIDTH, INNER)
    norm("output_norm.weight")
    tensor("output.weight", len(words), WIDTH)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.gguf"
        write(path)
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx = CONTEXT
        params.n_parallel = 2
        params.n_gpu_layers = 0
        params.use_jinja = True
        params.warmup = False
        params.api_keys = sys.argv[1:2]
        server = xllamacpp.Server(params)
        print(server.listening_address, flush=True)
        sys.stdin.read()
        del server


main()
