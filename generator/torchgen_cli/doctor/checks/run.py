"""What `--run -- COMMAND` finds by watching a training command; see `observe`."""

from ..rule import Severity, add

# fmt: off
add("TG911", Severity.WARNING, """Parameters of the optimizer never change.

    Steps at a learning rate above zero left them as they were: no gradient reaches them, or they
    belong to another instance of the model. Found with `--run -- COMMAND`.
    Remedy: Use them in the loss, leave them out, or create the optimizer for the trained model.
    Source: https://docs.pytorch.org/docs/stable/optim.html#constructing-it""")

add("TG912", Severity.WARNING, """Weight decay was applied to biases and norms.

    Parameters of one dimension are in a group with weight decay. Found with `--run -- COMMAND`.
    Remedy: Give them a group with `weight_decay=0`.
    Source: https://arxiv.org/abs/1812.01187""")

add("TG913", Severity.ERROR, """Workers draw the same random numbers.

    Two processes of one loader started with the same state of numpy's or Python's generator, or
    one did in two epochs. Found with `--run -- COMMAND`.
    Remedy: Seed from `torch.initial_seed() % 2**32` in `worker_init_fn`, or seed nothing there.
    Source: https://github.com/pytorch/pytorch/issues/5059""")

add("TG914", Severity.ERROR, """A model was evaluated in training mode.

    Several calls had dropout on, or norms with the averages of each batch, and no backward pass
    followed. Found with `--run -- COMMAND`.
    Remedy: Call `model.eval()` before, and `model.train()` after.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval""")

add("TG915", Severity.WARNING, """A model was trained in evaluation mode.

    The gradients of a step come from a call with dropout off or norms fixed, and from no other:
    `train()` was not called after an evaluation. Found with `--run -- COMMAND`.
    Remedy: Call `model.train()` at the start of each epoch.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train""")

add("TG916", Severity.WARNING, """An evaluation used some samples twice.

    A DistributedSampler padded the shares of its processes with samples that others also have, and
    no optimizer stepped. They count twice, unless the gathered results are cut to the length of the
    data. Found with `--run -- COMMAND`.
    Remedy: Shard without padding: `range(rank, len(dataset), world_size)`, and divide sums once.
    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler""")

add("TG917", Severity.WARNING, """An evaluation built autograd graphs.

    A model in evaluation mode was called several times with gradients on, and no backward pass
    followed: that takes several times the memory, and time, for nothing. Found with
    `--run -- COMMAND`.
    Remedy: Call it under `torch.no_grad()` or `torch.inference_mode()`.
    Source: https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disable-grad-doc""")

add("TG918", Severity.WARNING, """Parameters with a gradient are in no optimizer.

    A model is trained, but these parameters of it get gradients that no optimizer uses, and never
    change. Found with `--run -- COMMAND`.
    Remedy: Give them to the optimizer, or switch them off with `requires_grad_(False)`.
    Source: https://docs.pytorch.org/docs/stable/optim.html#constructing-it""")
