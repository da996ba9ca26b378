"""What the names of flags say of them."""

import re

# what makes another run; a flag for a name or a folder that nothing reads is a matter of tidiness
TRAINING = re.compile(
    r"(^|_)(lr|learning_rate|weight_decay|wd|momentum|betas?|eps|dropout|drop_rate|epochs?|warm(up)?"
    r"|batch_?size|clip|grad_clip|max_norm|amp|fp16|bf16|half|resume|label_smoothing|smoothing|gamma"
    r"|step_size|milestones|patience|accum(ulat\w*)?|ema|sync_?bn|early_stop\w*|augment\w*|mixup"
    r"|cutmix|shuffle|pretrained|freeze|deterministic|mixed_precision"
    r"|arch|backbone|widen_factor|depth|hidden_(dim|size|units)|nhid|linear_size|d_model|dilation"
    r"|(num|n)_(layers?|stages?|heads?|blocks?|points)|emb(ed|edding)?_(dim|size)|(img|output)_ch"
    r"|optim|optimizer|margin|loss_(type|fn|func)|d_iters|n_critic|consistency(_\w+)?"
    r"|random_(scale|mirror|flip|crop)|colou?r_jitter|use_cpu(_only)?|no_(cuda|gpu))(_|$)"
    r"|^loss$|^use_cpu$|^cpu$",
    re.I,
)
# what the name of a number of epochs may have beside what they are for
PLAIN_COUNT = re.compile(
    r"(^|_)((num|n|nb|max|total|train|training|of)_)*epochs?(_(num|max|total|train|training))*",
    re.I,
)
# what only says when, or where, something is reported or kept; or what is done without training
ASIDE = re.compile(r"^(save|log|print|test|val|eval|vis\w*|display|plot|report|tb|snapshot)_", re.I)
# of which a program may have several, so that a flag does not say by its name which one it means
LOSS = re.compile(r"^(loss|criterion)(_(type|fn|func|function|name))?$", re.I)
# flags that choose one of several, and calls that show that the choice is made without them
CHOICES = (
    (re.compile(r"^optim(izer)?(_(type|name))?$", re.I), re.compile(r"^(Adam\w*|SGD|RMSprop)$")),
    (LOSS, re.compile(r"(Loss|_loss|^cross_entropy)$")),
    (re.compile(r"(^|_)h?flip(_|$)", re.I), re.compile(r"^Random\w*Flip$")),
    (re.compile(r"^(random_)?crop$", re.I), re.compile(r"^Random\w*Crop$")),
    (re.compile(r"(^|_)jitter$", re.I), re.compile(r"^ColorJitter$")),
)
NAMING = re.compile(
    r"(^|_)(arch|backbone|type|activation|scaler|scheduler|sched|lr_mode|norm)$|^(model|net)$", re.I
)
# settings of an optimizer, and those that know them
SETTINGS_OF = (
    (re.compile(r"^(sgd_)?momentum$", re.I), "momentum", ("SGD", "RMSprop")),
    (
        re.compile(r"(^|_)(weight_decay|wd)$", re.I),
        "weight_decay",
        ("Adam", "AdamW", "SGD", "RMSprop"),
    ),
    (re.compile(r"^(optim|adam)_(alpha|beta_?[12]?|betas)$", re.I), "betas", ("Adam", "AdamW")),
    (re.compile(r"^(optim|adam)_eps(ilon)?$", re.I), "eps", ("Adam", "AdamW")),
)
# what is loaded, or done in place of training, where it is given
ASKS_FOR = re.compile(
    r"^(resume(_\w+)?|load|load_(model|weights|checkpoint|ckpt)|checkpoint_path|restore(_\w+)?"
    r"|(init|start)_(ckpt|checkpoint|weights))$",
    re.I,
)
INSTEAD_OF_TRAINING = re.compile(
    r"^(do_)?(test|eval|evaluate|evaluation|infer\w*|validate)(_only)?$", re.I
)
# what a command gives for the sake of order, and not of another result
FOR_ORDER = re.compile(
    r"(^|_)(name|dir|path|folder|root|file|prefix|suffix|log\w*|tb|freq|interval|every|print|save\w*"
    r"|workers|threads|n_?cpu|gpus?|gpu_ids?|devices?|cuda|rank|local_rank|port|dist\w*|world_size|url"
    r"|note|notes|exp|experiment|tag|desc|id|version|vis\w*|verbose)(_|$)|^(data|dataset|model|config)$",
    re.I,
)


def is_of_training(names: set[str]) -> bool:
    """Whether the names of a flag say that it makes another run, or another model."""
    return any(TRAINING.search(name) and not ASIDE.search(name) for name in names)


def is_other_phase(name: str) -> bool:
    """Whether a flag counts the epochs of something else than the whole run: `align_epochs`."""
    rest = PLAIN_COUNT.sub("", name)
    return rest != name and bool(rest) and not TRAINING.search(rest)


def acts_at_once(names: set[str]) -> bool:
    """Whether flags have something loaded, or done in place of training."""
    return any(ASKS_FOR.search(name) or INSTEAD_OF_TRAINING.search(name) for name in names)
