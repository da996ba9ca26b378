"""Steps of the optimizer: passes, clipping, scalers, and gradients that are zeroed or are not."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG416",
        """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def fit(model, loader, optimizer, args, scaler):
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y) / args.accum
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)  # <--
        if not (i + 1) % args.accum:
            optimizer.step()
            optimizer.zero_grad()
""",
    ),
    (
        "TG416",
        """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def fit(model, loader, optimizer, args, scaler):
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y) / args.accum
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)  # <--
        update = (i + 1) % args.accum == 0
        if update:
            optimizer.step()
            optimizer.zero_grad()
""",
    ),
    (
        "TG416",
        """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def fit(model, loader, optimizer, args, scaler):
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y) / args.accum
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)  # <--
        if (i + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
    ),
    (
        "TG416",
        """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def fit(model, loader, optimizer, args):
    step = 0
    it = iter(loader)
    while step < args.steps:
        x, y = next(it)
        loss = F.cross_entropy(model(x), y) / args.accum
        loss.backward()
        clip_grad_norm_(model.parameters(), 1.0)  # <--
        step += 1
        if step % args.accum == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
    ),
    (
        "TG403",
        """
import torch
from torch import nn
import torch.nn.functional as F

def train_epoch(model, loader, optimizer, scaler, args):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm(model.parameters(), args.clip)  # <--
        scaler.step(optimizer)
        scaler.update()
""",
    ),
    (
        "TG430",
        """
import torch
from torch import nn
import torch.nn.functional as F

def train(model, train_loader, optimizer, epoch):
    model.train()
    for i, (x, y) in enumerate(train_loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()  # <--
""",
    ),
    (
        "TG401",
        """
import torch

def train(model, loader, optimizer, epochs):
    optimizer.zero_grad()
    for e in range(epochs):
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            optimizer.step()  # <--
""",
    ),
    (
        "TG429",
        """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        if args.clip:
            clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()  # <--
""",
    ),
    (
        "TG411",
        """
import torch
from torch import nn
import torch.nn.functional as F

def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        nn.utils.clip_grad_norm(model.parameters(), args.clip)  # <--
""",
    ),
    (
        "TG415",
        """
import torch
from torch import nn
import torch.nn.functional as F

import argparse
def fit(model, loader, optimizer, args):
    for epoch in range(args.epochs):
        for i, (x, y) in enumerate(loader):
            (F.cross_entropy(model(x), y) / args.accum).backward()
            if (i + 1) % 4 == 0:  # <--
                optimizer.step()
                optimizer.zero_grad()

def main():
    p = argparse.ArgumentParser()
    p.add_argument("--accum", type=int, default=4)
    p.add_argument("--epochs", type=int, default=3)
    args = p.parse_args()
    fit(model, loader, optimizer, args)
main()
""",
    ),
    (
        "TG415",
        """
import torch
from torch import nn
import torch.nn.functional as F

import argparse
def fit(model, loader, optimizer, args):
    for epoch in range(args.epochs):
        for i, (x, y) in enumerate(loader):
            (F.cross_entropy(model(x), y) / args.accum).backward()
            if not (i + 1) % args.accum:  # <--
                optimizer.step()
                optimizer.zero_grad()

def main():
    p = argparse.ArgumentParser()
    p.add_argument("--accum", type=int, default=4)
    p.add_argument("--epochs", type=int, default=3)
    args = p.parse_args()
    fit(model, loader, optimizer, args)
main()
""",
    ),
]

CLEAN: dict[str, str] = {
    "gradients whose size is measured in each pass": """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def fit(model, loader, optimizer, args, scaler):
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y) / args.accum
        loss.backward()
        norm = clip_grad_norm_(model.parameters(), float("inf"))
        if (i + 1) % args.accum == 0:
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
""",
    "a critic that is clipped and steps in each turn, and a generator that steps in some": """
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

def fit(G, D, loader, optimizer_D, optimizer_G, args):
    for i, x in enumerate(loader):
        optimizer_D.zero_grad()
        optimizer_G.zero_grad()
        loss = D(x).mean() + D(G(x)).mean()
        loss.backward()
        clip_grad_norm_(D.parameters(), 1.0)
        optimizer_D.step()
        if i % args.n_critic == 0:
            optimizer_G.step()
""",
    "gradients that are clipped under a name for the last pass": """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def fit(model, loader, optimizer, args, scaler):
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y) / args.accum
        loss.backward()
        last = (i + 1) % args.accum == 0
        if last:
            clip_grad_norm_(model.parameters(), 1.0)
        if (i + 1) % args.accum == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
    "the gradients of each sample, clipped and kept elsewhere": """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def fit(model, loader, optimizer, args, scaler):
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y) / args.accum
        loss.backward()
        for p in model.parameters():
            clip_grad_norm_([p], 1.0)
            p.acc += p.grad
            p.grad = None
        if (i + 1) % args.accum == 0:
            for p in model.parameters():
                p.grad = p.acc
            optimizer.step()
            optimizer.zero_grad()
""",
    "a function that unscales before the gradients are clipped": """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def prepare(s, o):
    s.unscale_(o)

def train_epoch(model, loader, optimizer, scaler, args):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        prepare(scaler, optimizer)
        clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
""",
    "a limit that is scaled as the gradients are": """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def train_epoch(model, loader, optimizer, scaler, args):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        clip_grad_norm_(model.parameters(), 1.0 * scaler.get_scale())
        scaler.step(optimizer)
        scaler.update()
""",
    "gradients that are divided by the scale": """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def train_epoch(model, loader, optimizer, scaler, args):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        inv = 1.0 / scaler.get_scale()
        for p in model.parameters():
            p.grad.mul_(inv)
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scaler.update()
""",
    "a critic without a scaler, clipped before the step of the generator": """
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

def train_epoch(model, D, loader, optimizer, opt_d, scaler):
    for x, y in loader:
        optimizer.zero_grad()
        loss = D(model(x)).mean()
        scaler.scale(loss).backward()
        opt_d.zero_grad()
        loss_d = D(x).mean()
        loss_d.backward()
        clip_grad_norm_(D.parameters(), 1.0)
        opt_d.step()
        scaler.step(optimizer)
        scaler.update()
""",
    "gradients that are clipped only where they are not scaled": """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def train_epoch(model, loader, optimizer, scaler, args):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        if not args.amp:
            clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
""",
    "a dry run with one batch": """
import torch

def dry_run(model, loader, optimizer):
    for epoch in range(2):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
            break
""",
    "gradients that are set to None by name": """
import torch
from torch import nn
import torch.nn.functional as F

def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        for p in model.parameters():
            setattr(p, "grad", None)
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
""",
    "gradients that are filled with zeros": """
import torch
from torch import nn
import torch.nn.functional as F

def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        for p in model.parameters():
            if p.grad is not None:
                p.grad.data.fill_(0)
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
""",
    "a function of another package that resets the gradients": """
import torch
from torch import nn
import torch.nn.functional as F

from helper_lib import reset_grads
def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        reset_grads(optimizer)
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
""",
    "gradients that are detached and zeroed": """
import torch
from torch import nn
import torch.nn.functional as F

def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        [p.grad.detach_().zero_() for p in model.parameters() if p.grad is not None]
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
""",
    "a rate that is divided by the passes of a step": """
import torch
from torch import nn, optim
import torch.nn.functional as F

def fit(model, loader, args):
    lr = args.lr / args.accum_steps
    optimizer = optim.SGD(model.parameters(), lr=lr)
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        if (i + 1) % args.accum_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
    "a loss that is divided by another name of the passes": """
import torch
from torch import nn, optim
import torch.nn.functional as F

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        n = args.accum_steps
        loss = F.cross_entropy(model(x), y) / n
        loss.backward()
        if (i + 1) % args.accum_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
    "the size of the gradients, measured after the step": """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        norm = clip_grad_norm_(model.parameters(), float("inf"))
        print(norm)
""",
    "a failing step that opens a debugger": """
import torch
from torch import nn
import torch.nn.functional as F

import sys, traceback
def fit(model, loader, optimizer, args):
    fails = 0
    for x, y in loader:
        try:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        except Exception as e:
            import pdb; pdb.post_mortem()
""",
    "a failing step that ends the run in a function": """
import torch
from torch import nn
import torch.nn.functional as F

import sys, traceback
def fit(model, loader, optimizer, args):
    fails = 0
    for x, y in loader:
        try:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        except Exception as e:
            die(e)

def die(e):
    raise SystemExit(str(e))
""",
    "an error that is kept and raised after the handler": """
import torch
from torch import nn
import torch.nn.functional as F

import sys, traceback
def fit(model, loader, optimizer, args):
    fails = 0
    for x, y in loader:
        try:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        except Exception as e:
            err = e
            failed = True
        if failed:
            raise err
""",
    "the gradients of a model that the optimizer does not change": """
import torch

def fit(G, D, loader, optimizer, args):
    for i, x in enumerate(loader):
        D.zero_grad()
        G(x).sum().backward()
        if (i + 1) % args.accum == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
}
