"""Calls of older releases, in other words, and those that are right with every release."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG811",
        """
import torch

def train(netD, optimizer, criterion, real, target, scores):
    errD = criterion(netD(real), target)
    errD.backward()
    optimizer.step()
    hits = torch.sum(scores.eq(target)).data[0]  # <--
    return errD.data[0], hits, criterion(real, target).data.cpu()[0]  # <--
""",
    ),
    (
        "TG812",
        """
from torch.autograd import Variable

def on_gpu(images, volatile=False):
    return Variable(images.cuda(), volatile=volatile)  # <--

def validate(model, loader):
    return [run(model, images) for images in loader]

def run(model, images):
    for part in images:
        yield model(on_gpu(part, volatile=True))
""",
    ),
    (
        "TG814",
        """
def accuracy(output, target, topk=(1, 5)):
    pred = output.topk(max(topk), dim=1)[1].transpose(0, 1)
    correct = pred == target.view(1, -1).expand_as(pred)
    return [correct[:k].view(-1).float().sum() for k in topk]  # <--
""",
    ),
    (
        "TG816",
        """
def first(train_loader):
    batches = train_loader.__iter__()
    return batches.next()  # <--
""",
    ),
    (
        "TG704",
        """
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def main(model):
    dist.init_process_group("nccl")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = DistributedDataParallel(model.to(device))  # <--
    return model
""",
    ),
]
CLEAN: dict[str, str] = {
    "a loss whose dimensions the code asks for, and a plot": """
def shown(loss, loss_plot):
    if loss.dim() == 0:
        return loss.item()
    return loss.data[0], loss_plot.data[0]

def number(loss):
    try:
        return loss.data[0]
    except IndexError:
        return loss.item()
""",
    "static by assignment, and an iterator of one's own": """
import torch

class Double(torch.autograd.Function):
    def forward(ctx, x):
        return x * 2

    def backward(ctx, grad):
        return grad * 2

    forward = staticmethod(forward)
    backward = staticmethod(backward)

class Endless:
    def __iter__(self):
        return self

    def next(self):
        return torch.ones(1)

def first():
    loader = Endless()
    batches = iter(loader)
    return Double.apply(batches.next())
""",
    "a rate that the scheduler computes from the step, or is asked by its new name": """
import torch

def rates(optimizer, scheduler, epochs):
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, epochs)
    for _ in range(epochs):
        optimizer.step()
        cycle.step()
        print(cycle.get_lr())
    return scheduler.get_last_lr() if hasattr(scheduler, "last_lr") else scheduler.get_lr()
""",
    "environments that are not gym's": """
import gym
import torch
from stable_baselines3.common.vec_env import DummyVecEnv

def play():
    env = DummyVecEnv([lambda: gym.make("CartPole-v1")])
    state, reward, done, info = env.step(torch.zeros(1))
    return state, reward, done, info
""",
    "batch norms that are synchronised on another way, or before the wrapper is made anew": """
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

def wrap(model, several):
    if several:
        model = DistributedDataParallel(model)
    else:
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    return model
""",
    "a rank that each process is given": """
import argparse

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel

def work(rank, args):
    args.local_rank = rank
    torch.cuda.set_device(args.local_rank)
    dist.init_process_group("nccl", rank=rank, world_size=4)
    return DistributedDataParallel(torch.nn.Linear(8, 2).cuda())

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=0)
    mp.spawn(work, nprocs=4, args=(parser.parse_args(),))
""",
}
