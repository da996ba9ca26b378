"""Models on one GPU of several, or on none: planted faults, and code that has none."""

RUN = """
    batch = torch.ones(8, 4).to(device)
    print(model(batch))

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    {flags}
    main(parser.parse_args())
"""
FLAG_OF_CPU = 'parser.add_argument("--no-cuda", action="store_true")'
FLAG_OF_GPUS = 'parser.add_argument("--gpus", nargs="+", type=int)'
PLANTED: list[tuple[str, str]] = [
    (
        "TG710",  # of a flag that keeps the model on the CPU
        f"""
import argparse
import torch

def main(args):
    use = torch.cuda.is_available() and not args.no_cuda
    device = torch.device("cuda" if use else "cpu")
    model = torch.nn.Linear(4, 4).to(device)
    model = torch.nn.DataParallel(model)  # <--
{RUN.format(flags=FLAG_OF_CPU)}""",
    ),
    (
        "TG710",  # where there are several GPUs, although the flag keeps the model on the CPU
        f"""
import argparse
import torch

def main(args):
    device = torch.device(args.device)
    model = torch.nn.Linear(4, 4).to(device)
    if torch.cuda.device_count() > 1:
        model = torch.nn.DataParallel(model)  # <--
{RUN.format(flags='parser.add_argument("--device", choices=["cuda", "cpu"])')}""",
    ),
    (
        "TG710",  # moved to the first GPU, whichever are given
        f"""
import argparse
import torch

def main(args):
    device = "cuda"
    model = torch.nn.DataParallel(torch.nn.Linear(4, 4), device_ids=args.gpus).cuda()  # <--
{RUN.format(flags=FLAG_OF_GPUS)}""",
    ),
    (
        "TG710",  # the numbers are those that the variable has just changed
        f"""
import argparse
import os
import torch

def main(args):
    os.environ["CUDA_VISIBLE_DEVICES"] = args.gpus
    device = "cuda"
    model = torch.nn.Linear(4, 4).to(device)
    chosen = [int(one) for one in args.gpus.split(",")]
    model = torch.nn.DataParallel(model, device_ids=chosen)  # <--
{RUN.format(flags='parser.add_argument("--gpus")')}""",
    ),
    (
        "TG711",  # a setting that is the number of GPUs
        """
import torch
import torch.distributed as dist

def validate(model, batches, args):
    right = sum((model(x) == y).float().mean() for x, y in batches)
    dist.all_reduce(right)
    return right.div_(args.processes)  # <--

def main(args, model, batches):
    dist.init_process_group("nccl")
    args.processes = torch.cuda.device_count()
    print(validate(model, batches, args))
""",
    ),
    (
        "TG704",  # with an argument of `cuda` that is no device
        """
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def main(model, batches, optimizer):
    dist.init_process_group("nccl")
    model.cuda()  # <--
    model = DistributedDataParallel(model)
    for x, y in batches:
        optimizer.zero_grad()
        (model(x.cuda(non_blocking=True)) - y.cuda(non_blocking=True)).pow(2).mean().backward()
        optimizer.step()
""",
    ),
]
CLEAN: dict[str, str] = {
    "a model that is wrapped where the flag allows the GPU": f"""
import argparse
import torch

def main(args):
    use = torch.cuda.is_available() and not args.no_cuda
    device = torch.device("cuda" if use else "cpu")
    model = torch.nn.Linear(4, 4).to(device)
    if use:
        model = torch.nn.DataParallel(model)
{RUN.format(flags=FLAG_OF_CPU)}""",
    "a model that stays on the CPU only where there is no GPU": f"""
import argparse
import torch

def main(args):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.DataParallel(torch.nn.Linear(4, 4)).to(device)
{RUN.format(flags=FLAG_OF_GPUS)}""",
    "a model that is moved to the first of the GPUs that are given": f"""
import argparse
import torch

def main(args):
    device = torch.device(f"cuda:{{args.gpus[0]}}")
    model = torch.nn.Linear(4, 4).cuda(args.gpus[0])
    model = torch.nn.DataParallel(model, device_ids=args.gpus)
{RUN.format(flags=FLAG_OF_GPUS)}""",
    "GPUs that are numbered anew after the others are hidden": f"""
import argparse
import os
import torch

def main(args):
    os.environ["CUDA_VISIBLE_DEVICES"] = args.gpus
    device = "cuda"
    model = torch.nn.Linear(4, 4).to(device)
    chosen = list(range(len(args.gpus.split(","))))
    model = torch.nn.DataParallel(model, device_ids=chosen)
{RUN.format(flags='parser.add_argument("--gpus")')}""",
    "two GPUs where there are at least two": """
import torch

def wrap(model):
    if torch.cuda.device_count() >= 2:
        model = torch.nn.DataParallel(model, device_ids=[0, 1])
    return model.to("cuda")
""",
    "a process for each GPU, and a sum that is divided by their number": """
import torch
import torch.distributed as dist
import torch.multiprocessing

def work(rank, count):
    dist.init_process_group("nccl", rank=rank, world_size=count)
    total = torch.ones(1, device=rank)
    dist.all_reduce(total)
    total /= count
    print(total)

if __name__ == "__main__":
    count = torch.cuda.device_count()
    torch.multiprocessing.spawn(work, args=(count,), nprocs=count)
""",
}
