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
        """The optimizer has them, and steps at a learning rate above zero left them as they were:
        no gradient reaches them, or they were replaced after the optimizer was built. Found with
        `--run -- COMMAND` only.""",
        """use them in the loss, leave them out of the optimizer, or build the optimizer after the
        model is complete""",
        f"{STABLE}/optim.html",
        Severity.WARNING,
    ),
    (
        "TG912",
        "weight decay was seen to pull on biases and norms",
        """Parameters of one dimension are in a group with weight decay. Found with
        `--run -- COMMAND` only.""",
        "give them a group with `weight_decay=0`",
        "https://arxiv.org/abs/1812.01187",
        Severity.WARNING,
    ),
    (
        "TG913",
        "workers draw the same random numbers",
        """Two processes of one loader began with the same state of numpy's or Python's generator,
        or one process with the same in two epochs. Found with `--run -- COMMAND` only.""",
        "seed from `torch.initial_seed() % 2**32` in `worker_init_fn`, or seed nothing there",
        "https://github.com/pytorch/pytorch/issues/5059",
        Severity.ERROR,
    ),
    (
        "TG914",
        "a model was called for evaluation in training mode",
        """Gradients were off, and dropout or norms in training mode. Found with
        `--run -- COMMAND` only.""",
        "call `model.eval()` before, and `model.train()` after",
        f"{STABLE}/generated/torch.nn.Module.html#torch.nn.Module.eval",
        Severity.ERROR,
    ),
    (
        "TG915",
        "a model was trained in evaluation mode",
        """Its parameters were being trained, with dropout off and norms fixed: `train()` was not
        called after an evaluation. Found with `--run -- COMMAND` only.""",
        "call `model.train()` at the start of each epoch",
        f"{STABLE}/generated/torch.nn.Module.html#torch.nn.Module.train",
        Severity.WARNING,
    ),
    (
        "TG916",
        "an evaluation was given some samples twice",
        """A DistributedSampler filled up the shares of its processes with samples that others have,
        too, and no optimizer stepped while the model was called. They count twice, unless what all
        found is cut to the length of the data. Found with `--run -- COMMAND` only.""",
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
