"""What `--run -- COMMAND` finds by watching a training command; see `observe`."""

from ...project import Module
from ...rule import STABLE, Severity, rule


def seen_at_run_time(module: Module) -> tuple[()]:
    """Nothing to see without running the code."""
    return ()


for id, title, why, remedy, source, severity in (
    (
        "TG911",
        "these parameters never change",
        """The optimizer has them, but steps at a learning rate above zero left them unchanged: no
        gradient reaches them, or they were replaced after the optimizer was created. Found only
        with `--run -- COMMAND`.""",
        """use them in the loss, leave them out of the optimizer, or create the optimizer after the
        model is complete""",
        f"{STABLE}/optim.html",
        Severity.WARNING,
    ),
    (
        "TG912",
        "weight decay was applied to biases and norms",
        """Parameters of one dimension are in a group with weight decay. Found only with `--run --
        COMMAND`.""",
        "give them a group with `weight_decay=0`",
        "https://arxiv.org/abs/1812.01187",
        Severity.WARNING,
    ),
    (
        "TG913",
        "workers draw the same random numbers",
        """Two processes of one loader started with the same state of numpy's or Python's generator,
        or one process with the same state in two epochs. Found only with `--run -- COMMAND`.""",
        "seed from `torch.initial_seed() % 2**32` in `worker_init_fn`, or seed nothing there",
        "https://github.com/pytorch/pytorch/issues/5059",
        Severity.ERROR,
    ),
    (
        "TG914",
        "a model was evaluated in training mode",
        """Gradients were off, with dropout or norms in training mode. Found only with `--run --
        COMMAND`.""",
        "call `model.eval()` before, and `model.train()` after",
        f"{STABLE}/generated/torch.nn.Module.html#torch.nn.Module.eval",
        Severity.ERROR,
    ),
    (
        "TG915",
        "a model was trained in evaluation mode",
        """Its parameters were being trained, with dropout off and norms fixed: `train()` was not
        called after an evaluation. Found only with `--run -- COMMAND`.""",
        "call `model.train()` at the start of each epoch",
        f"{STABLE}/generated/torch.nn.Module.html#torch.nn.Module.train",
        Severity.WARNING,
    ),
    (
        "TG916",
        "an evaluation used some samples twice",
        """A DistributedSampler padded the shares of its processes with samples that others also
        have, and no optimizer stepped while the model was called. They count twice, unless the
        gathered results are cut to the length of the data. Found only with `--run -- COMMAND`.""",
        "shard without padding: `range(rank, len(dataset), world_size)`, and divide sums once",
        f"{STABLE}/data.html#torch.utils.data.distributed.DistributedSampler",
        Severity.WARNING,
    ),
):
    rule(
        id,
        title,
        why=why,
        remedy=remedy,
        source=source,
        severity=severity,
        bad="",
        good="",
    )(seen_at_run_time)
