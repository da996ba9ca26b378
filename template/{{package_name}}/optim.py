"""The optimizer: which parameters decay, and how the learning rate moves."""

import math

import torch
from torch import nn

from .config import Config

NORMS = (
    nn.modules.batchnorm._NormBase,  # every kind of batch and instance norm
    nn.GroupNorm,
    nn.LayerNorm,
    nn.RMSNorm,
)
# vectors by role, whatever their shape: a class token is often (1, 1, dim)
NO_DECAY_NAMES = ("bias", "bias_k", "bias_v", "class_token", "cls_token", "pos_embed")
NO_DECAY_WORDS = ("pos_embedding", "position_embedding")


def split_for_decay(
    model: nn.Module, *, decay_embeddings: bool = False
) -> tuple[list[tuple[str, nn.Parameter]], list[tuple[str, nn.Parameter]]]:
    """Part the trainable parameters into (decayed, not decayed), each once, with their names.

    Decay pulls weights of matrices and kernels towards zero, where they are redundant. Biases, the
    scales of norms, tokens and positions are not: decaying them only costs accuracy.
    """
    exempt: set[nn.Parameter] = set()
    for module in model.modules():
        if isinstance(module, NORMS) or type(module).__name__.endswith("Norm"):
            exempt.update(module.parameters(recurse=False))
        if isinstance(module, nn.Embedding | nn.EmbeddingBag) and not decay_embeddings:
            exempt.update(module.parameters(recurse=False))
    decayed: list[tuple[str, nn.Parameter]] = []
    kept: list[tuple[str, nn.Parameter]] = []
    for name, parameter in model.named_parameters():  # a tied parameter comes once
        if not parameter.requires_grad:
            continue
        leaf = name.rpartition(".")[2]
        by_name = leaf in NO_DECAY_NAMES or any(word in name for word in NO_DECAY_WORDS)
        is_vector = parameter.ndim <= 1
        group = kept if is_vector or by_name or parameter in exempt else decayed
        group.append((name, parameter))
    return decayed, kept


def build_optimizer(config: Config, model: nn.Module) -> torch.optim.Optimizer:
    """The optimizer of the trainable parameters, in two groups: with weight decay, and without.

    A group may have an `lr` of its own: `learning_rate` then keeps its ratio to the first one's.
    """
    lr = config.lr if config.lr_batch is None else config.lr * config.batch_size / config.lr_batch
    decayed, kept = split_for_decay(model)
    groups = [
        {"params": decayed, "weight_decay": config.weight_decay},
        {"params": kept, "weight_decay": 0.0, "lr": lr * config.bias_lr},
    ]
    groups = [group for group in groups if group["params"]]
    # one fused kernel for all parameters, where the device has one
    fused = all(p.device.type in ("cpu", "cuda", "mps") for _, p in decayed + kept)
    if config.optimizer == "sgd":
        momentum, nesterov = config.momentum, config.momentum > 0
        return torch.optim.SGD(groups, lr=lr, momentum=momentum, nesterov=nesterov, fused=fused)
    return torch.optim.AdamW(groups, lr=lr, fused=fused)


def learning_rate(config: Config, step: int, steps_per_epoch: int, peak: float) -> float:
    """The rate of optimizer step `step`, from 0: by default, a warm-up and a cosine down to zero.

    `peak` is that of a parameter group. A pure function of the step, so there is no scheduler to
    save. Past the end it stays at zero, where a cosine would rise again (Loshchilov, Hutter: SGDR,
    2016, without restarts).
    """
    warmup_steps = round(config.warmup_epochs * steps_per_epoch)
    total_steps = config.total_steps(steps_per_epoch)
    if config.schedule != "cosine":
        from .toolbox.schedules import factor

        return peak * factor(config, step, warmup_steps, total_steps)
    if step < warmup_steps:
        return peak * (step + 1) / warmup_steps
    progress = (step - warmup_steps) / max(1, total_steps - warmup_steps)
    return peak * 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))
