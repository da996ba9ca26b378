"""What loaders and samplers leave out, repeat or order: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG202",  # only the sampler of the validation is told
        """
import torch
from torch.utils.data import DataLoader, DistributedSampler


def main(args, train_set, val_set, model, opt, validate):
    torch.distributed.init_process_group("nccl")
    train_sampler = DistributedSampler(train_set)  # <--
    val_sampler = DistributedSampler(val_set, shuffle=False, drop_last=True)
    train_loader = DataLoader(train_set, batch_size=8, sampler=train_sampler)
    val_loader = DataLoader(val_set, batch_size=8, sampler=val_sampler)
    for epoch in range(args.epochs):
        val_sampler.set_epoch(epoch)
        for x in train_loader:
            opt.zero_grad()
            model(x).backward()
            opt.step()
        validate(model, val_loader)
""",
    ),
    (
        "TG202",  # a loop of steps
        """
import torch
from torch.utils.data import DataLoader, DistributedSampler


def main(args, train_set, model, opt):
    torch.distributed.init_process_group("nccl")
    sampler = DistributedSampler(train_set)  # <--
    train_loader = DataLoader(train_set, batch_size=8, sampler=sampler)
    step = 0
    while step < args.max_steps:
        for x in train_loader:
            opt.zero_grad()
            model(x).backward()
            opt.step()
            step += 1
""",
    ),
]
CLEAN: dict[str, str] = {
    "TG204: the loader of a test is trained on": """
from torch.utils.data import DataLoader


def adapt(net, optimizer, source, test_images, loss_of):
    source_loader = DataLoader(source, batch_size=32, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_images, batch_size=32, shuffle=True, drop_last=True)
    for (xs, ys), xt in zip(source_loader, test_loader):
        optimizer.zero_grad()
        loss = loss_of(net, xs, ys, xt)
        loss.backward()
        optimizer.step()
""",
    "TG204: one batch of all samples": """
from torch.utils.data import DataLoader


def score(model, test_set):
    loader = DataLoader(test_set, batch_size=len(test_set), drop_last=True)
    return [model(x) for x in loader]
""",
    "TG202: the attribute that the sampler reads": """
import torch
from torch.utils.data import DataLoader, DistributedSampler


def main(dataset, model, optimizer, epochs):
    torch.distributed.init_process_group("nccl")
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(epochs):
        sampler.epoch = epoch
        for x in loader:
            optimizer.zero_grad()
            model(x).backward()
            optimizer.step()
""",
    "TG202: a sampler of its own for each epoch": """
import torch
from torch.utils.data import DataLoader, DistributedSampler


def main(dataset, model, optimizer, epochs):
    torch.distributed.init_process_group("nccl")
    for epoch in range(epochs):
        sampler = DistributedSampler(dataset, seed=epoch)
        for x in DataLoader(dataset, batch_size=8, sampler=sampler):
            optimizer.zero_grad()
            model(x).backward()
            optimizer.step()
""",
}
