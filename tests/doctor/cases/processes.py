"""Several processes, and what each of them does: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG203",  # in the branch that is not the training
        """
import torch.distributed as dist
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

def provide(cfg, data, mode):
    shuffle = mode == "train"
    sampler = None
    if dist.is_initialized():
        if mode == "train":
            sampler = cfg.sampler(data)
        else:
            sampler = DistributedSampler(data, shuffle=shuffle)  # <--
    return DataLoader(data, cfg.size, sampler=sampler)
""",
    ),
    (
        "TG203",  # for each data set of a list
        """
from torch.utils.data.distributed import DistributedSampler

def samplers_of(datasets, shuffles, ranks, rank):
    made = []
    for data, shuffle in zip(datasets, shuffles):
        made.append(DistributedSampler(data, ranks, rank, shuffle=shuffle))  # <--
    return made

def main(first, second, ranks, rank):
    return samplers_of([first, second], [True, False], ranks, rank)
""",
    ),
    (
        "TG705",  # by a helper, in a program whose model another function wraps
        """
import torch
import torch.distributed as dist
from torch import nn

def fix(number):
    torch.manual_seed(number)  # <--

def wrapped(net, rank):
    return nn.parallel.DistributedDataParallel(net, device_ids=[rank])

def main(cfg, rank, fit):
    fix(cfg.number)
    dist.init_process_group("nccl")
    torch.cuda.set_device(rank)
    net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.2)).cuda()
    fit(wrapped(net, rank))
""",
    ),
]

CLEAN: dict[str, str] = {
    "an evaluation that keeps one result for each image": """
import numpy as np
from torch.utils.data import DataLoader, DistributedSampler

def merged(image_ids, scores):
    image_ids, first = np.unique(np.concatenate(image_ids), return_index=True)
    return image_ids, np.concatenate(scores)[first]

def load(val_data):
    return DataLoader(val_data, 8, sampler=DistributedSampler(val_data, shuffle=False))
""",
    "samplers of a list of data sets that are all trained on, and a branch of another training": """
from torch.utils.data.distributed import DistributedSampler

def samplers_of(datasets, shuffles):
    return [DistributedSampler(data, shuffle=one) for data, one in zip(datasets, shuffles)]

def main(args, first, second, epochs):
    samplers = samplers_of([first, second], [True, True])
    if args.stage == "train":
        sampler = DistributedSampler(first, shuffle=args.shuffle)
    elif args.stage == "tune":
        sampler = DistributedSampler(second, shuffle=args.shuffle)
    for epoch in range(epochs):
        for one in [sampler, *samplers]:
            one.set_epoch(epoch)
""",
    "a seed with an offset that is the rank": """
import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl")
offset = int(os.environ["RANK"])
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
torch.manual_seed(1337 + offset)
net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.2)).cuda()
net = DistributedDataParallel(net)
""",
}
