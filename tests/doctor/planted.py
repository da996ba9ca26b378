"""Each rule broken once more, in other words than in the rule's own example: the recall."""

# Lines that end in `# <--` must be found by the rule, and nothing else may be found by it.
PLANTED: list[tuple[str, str]] = [
    ("TG001", "import torch\nprint 'loss', loss  # <--\n"),
    ("TG002", "import torch  # torchgen: ignore[TG999] a rule of the future # <--\n"),
    (
        "TG101",
        """
import numpy as np
import torch.utils.data as data

def augment(image):
    return image if np.random.random() < 0.5 else image.flip(-1)

class Images(data.Dataset):
    def __getitem__(self, i):
        return augment(self.images[i])

def loaders(args):
    train_set = Images()
    train_loader = data.DataLoader(  # <--
        train_set, batch_size=args.batch_size, shuffle=True, num_workers=args.workers
    )
    return train_loader
""",
    ),
    (
        "TG101",
        """
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Points(Dataset):
    def __init__(self, points):
        self.points = points

    def __getitem__(self, i):
        if np.random.uniform() > 0.5:
            return self.points[i]
        return -self.points[i]

def make_loader(dataset, workers):
    return DataLoader(dataset, 16, num_workers=workers, pin_memory=True)  # <--
""",
    ),
    (
        "TG102",
        """
import random
from torch.utils.data import DataLoader, IterableDataset

class Stream(IterableDataset):
    def __init__(self, files, seed):
        super().__init__()
        self.files = files
        self._random = random.Random(seed)  # <--

    def __iter__(self):
        while True:
            yield self._random.choice(self.files)

loader = DataLoader(Stream([], 1), num_workers=2)
""",
    ),
    (
        "TG102",
        """
import torch
from torch.utils.data import DataLoader, Dataset

class Base(Dataset):
    pass

class Crops(Base):
    def __init__(self):
        self.generator = torch.Generator().manual_seed(0)  # <--

    def __getitem__(self, i):
        return torch.rand(3, generator=self.generator)

def load(n):
    return DataLoader(Crops(), num_workers=n)
""",
    ),
    (
        "TG103",
        """
import random
import numpy
import torch

class Data:
    def loader(self, dataset, seed):
        def init(k):
            numpy.random.seed(seed + k)
            random.seed(seed + k)
        return torch.utils.data.DataLoader(dataset, num_workers=8, worker_init_fn=init)  # <--
""",
    ),
    (
        "TG103",
        """
import numpy as np
from torch.utils.data import DataLoader

def load(dataset):
    return DataLoader(  # <--
        dataset, num_workers=8, worker_init_fn=lambda k: np.random.seed(k), pin_memory=True
    )
""",
    ),
    (
        "TG104",
        """
import random
import numpy as np

def setup(cfg):
    if cfg.get("seed"):  # <--
        np.random.seed(cfg["seed"])
        random.seed(cfg["seed"])
""",
    ),
    ("TG104", "import os\n\ndef main(args):\n    seed = args.seed or 42  # <--\n    return seed\n"),
    ("TG105", "import numpy as np\n\nnp.random.seed(hash(f'run-{1}') % 2**32)  # <--\n"),
    (
        "TG106",
        """
import torch.utils.data

class Module:
    def setup(self, whole):
        n = len(whole) // 10
        self.train, self.val = torch.utils.data.random_split(whole, (len(whole) - n, n))  # <--
""",
    ),
    (
        "TG201",
        """
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

def load(dataset, order):
    return DataLoader(dataset, 8, True, DistributedSampler(dataset))  # <--
""",
    ),
    (
        "TG201",
        """
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler

def load(dataset):
    batches = BatchSampler(SequentialSampler(dataset), 8, False)
    return DataLoader(dataset, batch_size=8, batch_sampler=batches)  # <--
""",
    ),
    (
        "TG202",
        """
import torch

def main(args, train_data, model, step):
    train_sampler = torch.utils.data.distributed.DistributedSampler(train_data)  # <--
    train_loader = torch.utils.data.DataLoader(train_data, sampler=train_sampler)
    for epoch in range(args.start_epoch, args.epochs):
        for i, batch in enumerate(train_loader):
            step(model, batch)
""",
    ),
    (
        "TG203",
        """
import torch

class Trainer:
    def __init__(self, train, test):
        self.test_sampler = torch.utils.data.DistributedSampler(test, shuffle=False)  # <--
""",
    ),
    (
        "TG204",
        """
import torch

def loaders(splits, bs):
    valid_loader = torch.utils.data.DataLoader(  # <--
        splits["b"], bs, shuffle=False, num_workers=2, drop_last=True
    )
    return valid_loader
""",
    ),
    (
        "TG301",
        """
import torch

class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()

class Net(torch.nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.blocks = []
        for _ in range(depth):
            self.blocks.append(Block())  # <--
        self.heads = {"a": torch.nn.Linear(8, 2), "b": torch.nn.Linear(8, 3)}  # <--
        self.scales = [torch.nn.Parameter(torch.ones(1))] * 2  # <--
""",
    ),
    (
        "TG301",
        """
from torch.nn import Linear, Module as Base

class Heads(Base):
    def __init__(self, names):
        super().__init__()
        self.heads = {name: Linear(8, 2) for name in names}  # <--
        self.more = {}
        self.more["x"] = Linear(8, 2)  # <--
        self.pair: tuple = (Linear(8, 8), Linear(8, 8))  # <--
""",
    ),
    (
        "TG302",
        """
import torch
import torch.nn as nn

class Prompt(nn.Module):
    def __init__(self, device):
        super(Prompt, self).__init__()
        self.tokens = nn.Parameter(torch.randn(4, 8)).to(device)  # <--
        self.gate = torch.zeros(1, requires_grad=True)  # <--
""",
    ),
    (
        "TG303",
        """
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, kernel_size=3, padding=1)  # <--
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 16, 3)  # <--
        self.bn2 = nn.BatchNorm2d(16)

    def forward(self, x):
        x = self.bn1(self.conv1(x)).relu()
        x = self.conv2(x)
        x = self.bn2(x)
        return x
""",
    ),
    (
        "TG303",
        """
import torch.nn as nn

def block(inputs, outputs):
    layers = [nn.ConvTranspose2d(inputs, outputs, 4, 2, 1), nn.InstanceNorm2d(outputs)]  # <--
    layers += [nn.Linear(8, 8, bias=True), nn.BatchNorm1d(8)]  # <--
    return nn.Sequential(*layers)
""",
    ),
    (
        "TG303",
        """
from torch import nn
from torch.nn import Conv2d as Conv

net = nn.Sequential(Conv(3, 8, 3), nn.BatchNorm2d(8))  # <--
""",
    ),
    (
        "TG304",
        """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 2)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        x = self.fc(x)
        x = self.softmax(x)
        return x

def main(loader, optimizer):
    model = Net().to("cuda")
    criterion = nn.CrossEntropyLoss().cuda()
    for images, labels in loader:
        output = model(images)
        loss = criterion(output, labels)  # <--
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
""",
    ),
    (
        "TG304",
        """
import torch

class Trainer:
    def __init__(self):
        self.loss = torch.nn.CrossEntropyLoss(label_smoothing=0.1)

    def step(self, logits, labels):
        return self.loss(logits.softmax(dim=-1), labels)  # <--
""",
    ),
    (
        "TG304",
        """
import torch.nn as nn
import torch.nn.functional as F

class Net(nn.Module):
    def forward(self, x):
        return F.softmax(self.fc(x), dim=1)

net = Net()
criterion = nn.CrossEntropyLoss()

def train(loader):
    for x, y in loader:
        criterion(net(x), y).backward()  # <--
""",
    ),
    (
        "TG305",
        """
import torch
from torch import nn

criterion = nn.CrossEntropyLoss()

def loss_of(scores, labels):
    scores = torch.log_softmax(scores, 1)
    return criterion(scores, labels)  # <--
""",
    ),
    (
        "TG306",
        """
import torch
from torch import nn
from torch.nn.functional import dropout2d

class Net(nn.Module):
    def forward(self, x):
        x = nn.Dropout(0.3)(x)  # <--
        return dropout2d(x, p=0.1)  # <--
""",
    ),
    (
        "TG307",
        """
from torch.nn.functional import scaled_dot_product_attention as attend

def attention(q, k, v):
    return attend(q, k, v, None, 0.1, True)  # <--
""",
    ),
    (
        "TG401",
        """
import torch

class Trainer:
    def fit(self):
        opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
        while self.going():
            with torch.autocast("cuda"):
                loss = self.loss(next(self.data))
            self.scaler.scale(loss).backward()
            self.scaler.step(opt)  # <--
            self.scaler.update()
""",
    ),
    (
        "TG402",
        """
def train(self, loader):
    for x, y in loader:
        loss = self.criterion(self.model(x), y)
        loss.backward()
        self.optimizer.zero_grad()  # <--
        self.optimizer.step()
""",
    ),
    (
        "TG403",
        """
import torch

def fit(model, loader, optimizer, scaler, loss_of, clip):
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        scaler.scale(loss).backward()
        if clip > 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)  # <--
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
""",
    ),
    (
        "TG404",
        """
import torch

class Trainer:
    def step(self, batch):
        self.optimizer.zero_grad()
        self.grad_scaler.scale(self.loss(batch)).backward()
        self.grad_scaler.unscale_(self.optimizer)
        self.grad_scaler.step(self.optimizer)  # <--
""",
    ),
    (
        "TG405",
        """
import torch

def fit(model, loader, opt, loss_of):
    scaler = torch.amp.GradScaler("cuda")
    for batch in loader:
        opt.zero_grad(set_to_none=True)
        with torch.autocast("cuda"):
            loss = loss_of(model, batch)
        scaler.scale(loss).backward()
        opt.step()  # <--
        scaler.update()
""",
    ),
    (
        "TG406",
        """
import torch

def fit(model, loader, optimizer, loss_of):
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast(device_type="cuda"):  # <--
            loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
""",
    ),
    (
        "TG407",
        """
def fit(args, model, loader, optimizer, loss_of):
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):
        loss_of(model(x), y).backward()  # <--
        if i % args.grad_accum == args.grad_accum - 1:
            optimizer.step()
            optimizer.zero_grad()
""",
    ),
    (
        "TG408",
        """
import torch

def step(model, passes, optimizer, loss_of):
    optimizer.zero_grad()
    measured = []
    for batch in passes:
        loss = loss_of(model, batch)
        loss.backward()
        with torch.no_grad():
            measured.append({"loss": loss} | {"norm": batch.norm()})  # <--
    optimizer.step()
    return measured
""",
    ),
    (
        "TG408",
        """
def fit(model, loader, optimizer, loss_of):
    losses, running = [], {"loss": 0}
    for x, y in loader:
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        (loss / 2).backward()
        optimizer.step()
        losses.append(loss)  # <--
        running["loss"] += loss * x.size(0)  # <--
    return losses, running
""",
    ),
    (
        "TG408",
        """
class Trainer:
    def epoch(self):
        self.epoch_loss = 0
        for batch in self.loader:
            self.optimizer.zero_grad()
            loss = self.loss(batch)
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.epoch_loss = self.epoch_loss + loss  # <--
""",
    ),
    (
        "TG409",
        """
import torch

def main(model, optimizer, loader, loss_of):
    lr_scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30)
    for epoch in range(90):
        lr_scheduler.step()  # <--
        for x, y in loader:
            optimizer.zero_grad()
            loss_of(model(x), y).backward()
            optimizer.step()
""",
    ),
    (
        "TG410",
        """
import torch.optim as optim
from torch.optim import SGD

class Adam(optim.Adam):
    pass

def build(self, args):
    self.opt = optim.AdamW(self.model.parameters(), lr=args.lr)  # <--
    optim.Adam(list(self.model.parameters()), weight_decay=0.1)  # <--
    optim.AdamW([p for p in self.model.parameters() if p.requires_grad])  # <--
    optim.AdamW(filter(lambda p: p.requires_grad, self.model.parameters()))  # <--
    Adam(self.model.parameters(), weight_decay=0.1)  # <--
    return SGD(params=self.model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)  # <--
""",
    ),
    (
        "TG411",
        """
import torch

def train(model, loader, optimizer, loss_of):
    for batch in loader:
        optimizer.zero_grad()
        torch.nn.utils.clip_grad_value_(model.parameters(), 0.5)  # <--
        loss_of(model, batch).backward()
        optimizer.step()
""",
    ),
    (
        "TG412",
        """
from torch.amp import autocast

def train(model, loader, optimizer, loss_of, dtype):
    for x, y in loader:
        optimizer.zero_grad()
        with autocast("cuda", dtype=dtype):
            loss = loss_of(model(x), y)
            if loss.isfinite():
                loss.backward()  # <--
        optimizer.step()
""",
    ),
    (
        "TG490",
        """
def fit(model, loader, optimizer, loss_of):
    for i, batch in enumerate(loader):
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        print(i, loss)  # <--
        if i % 100 == 0:
            print(float(loss))
""",
    ),
    (
        "TG501",
        """
import torch
from tqdm import tqdm

class Trainer:
    def evaluate(self):
        total = 0.0
        with torch.inference_mode():
            for i, (x, y) in enumerate(tqdm(self.loader)):  # <--
                total += self.loss(self.model(x), y).item()
        return total
""",
    ),
    (
        "TG501",
        """
import torch

def main(net, train_loader, val_loader, optimizer, loss_of):
    for epoch in range(10):
        net.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            loss_of(net(x), y).backward()
            optimizer.step()
        with torch.no_grad():
            for x, y in val_loader:  # <--
                print(loss_of(net(x), y))
""",
    ),
    (
        "TG502",
        """
def test(net, test_loader, device):
    net.eval()
    hits = 0
    for images, labels in test_loader:  # <--
        outputs = net(images.to(device))
        hits += (outputs.argmax(1) == labels.to(device)).sum().item()
    return hits

def main(net, test_loader):
    print(test(net, test_loader, "cpu"))
""",
    ),
    (
        "TG503",
        """
import torch

def run(model, loader, optimizer, loss_of):
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model(batch)).backward()
        optimizer.step()

@torch.no_grad()
def validate(net, loader, loss_of):
    net.eval()
    return sum(loss_of(net(batch)) for batch in loader)

def main(model, loaders, optimizer, loss_of):
    for epoch in range(9):
        run(model, loaders[0], optimizer, loss_of)
        print(validate(model, loaders[1], loss_of))  # <--
""",
    ),
    (
        "TG601",
        """
from pathlib import Path
from torch import load as read

class Run:
    def resume(self, folder: Path):
        return read(folder / "last.pt", weights_only=False)  # <--
""",
    ),
    (
        "TG602",
        """
import torch
import torchvision.models as models

class Net(torch.nn.Module):
    pass

def main(path):
    net = Net()
    backbone = models.resnet18(weights=None)
    torch.save({"net": net, "epoch": 3}, path)  # <--
    torch.save(backbone, path)  # <--

def save(model, path):
    model.eval()
    torch.save(model, path)  # <--
""",
    ),
    (
        "TG603",
        """
import torch
from torch.nn.parallel import DistributedDataParallel as DDP

class Trainer:
    def __init__(self, model, rank):
        self.model = DDP(model.to(rank), device_ids=[rank])

    def save(self, path):
        state = {"weights": self.model.state_dict()}  # <--
        torch.save(state, path)

def main(net, path):
    net = torch.nn.DataParallel(net).cuda()
    state = {"net": net.state_dict()}  # <--
    torch.save(state, path)
""",
    ),
    (
        "TG604",
        """
import torch

class Trainer:
    def save(self, epoch):
        checkpoint = {
            "epoch": epoch,
            "state_dict": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        torch.save(checkpoint, f"epoch{epoch}.pt")  # <--

    def step(self, loss):
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
""",
    ),
    (
        "TG605",
        """
import os
import torch

def save(state, path):
    if os.path.exists(path):
        os.remove(path)
    torch.save(state, path)  # <--
""",
    ),
    (
        "TG605",
        """
import torch

class Trainer:
    def save(self, folder):
        state = dict(a=1)
        state = {"m": self.model.state_dict(), "o": self.optimizer.state_dict()}
        torch.save(state, folder / "latest.pth")  # <--
""",
    ),
    (
        "TG606",
        """
from torch.optim.lr_scheduler import CosineAnnealingLR

def main(args, opt_state, optimizer):
    if args.resume:
        optimizer.load_state_dict(opt_state)
    scheduler = CosineAnnealingLR(optimizer, T_max=100)  # <--
    return scheduler
""",
    ),
    ("TG690", "def load(net, state):\n    net.load_state_dict(state['net'], False)  # <--\n"),
    (
        "TG701",
        """
import torch

def wrap(net):
    return torch.nn.parallel.DataParallel(net, device_ids=[0, 1])  # <--
""",
    ),
    (
        "TG702",
        """
import torch
from torch.nn.parallel import DistributedDataParallel as DDP

def wrap(net, rank):
    net = DDP(net, device_ids=[rank])
    net = torch.nn.SyncBatchNorm.convert_sync_batchnorm(net)  # <--
    return net
""",
    ),
    (
        "TG790",
        """
from torch.nn.parallel import DistributedDataParallel as DDP

def wrap(net, rank):
    return DDP(net, [rank], find_unused_parameters=True)  # <--
""",
    ),
    (
        "TG801",
        """
import torch
import torch.cuda.amp as amp

scaler = torch.cuda.amp.GradScaler()  # <--

@amp.custom_fwd  # <--
def forward(context, x):
    with torch.cpu.amp.autocast():  # <--
        return x
""",
    ),
    ("TG802", "from torch import symeig  # <--\n\nvalues = symeig\n"),
    (
        "TG803",
        """
import torch
import torch.nn as nn
from torch.autograd import Variable  # <--

def initialize(layer):
    nn.init.xavier_uniform(layer.weight)  # <--
    nn.utils.clip_grad_norm(layer.parameters(), 1.0)  # <--
    return torch.norm(Variable(layer.weight))  # <--
""",
    ),
    (
        "TG804",
        """
import torch.utils.checkpoint as checkpoint

class Block:
    def forward(self, x):
        return checkpoint.checkpoint(self.inner, x)  # <--
""",
    ),
    (
        "TG805",
        """
from torchvision import models
from torchvision.models import resnet50

net = models.vgg16(pretrained=False)  # <--
big = resnet50(pretrained=True)  # <--
""",
    ),
    ("TG806", "from torch import nn\n\nlayer = nn.Softmax()  # <--\n"),
    (
        "TG807",
        """
import torch.nn.functional as F

def loss(a, b):
    return F.mse_loss(a, b, reduce=False)  # <--
""",
    ),
    (
        "TG808",
        """
from torch.optim import lr_scheduler

class Trainer:
    def __init__(self, optimizer):
        self.schedule = lr_scheduler.MultiStepLR(optimizer, [30, 60])

    def end(self, epoch):
        self.schedule.step(epoch=epoch)  # <--
""",
    ),
    (
        "TG809",
        """
import torch

def flags(parser):
    parser.add_argument('-r', '--local-rank', type=int)  # <--
    return parser.parse_args()

def join(args):
    torch.cuda.set_device(args.local_rank)
    torch.distributed.init_process_group("nccl")
""",
    ),
    ("TG003", "import torch  # torchgen: ignore[TG601] nothing is loaded here # <--\n"),
    (
        "TG101",
        """
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Crop:
    def __call__(self, image):
        return image[np.random.randint(8):]

class Images(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __getitem__(self, i):
        return self.transform(self.images[i])

def load(workers):
    return DataLoader(Images(Crop()), num_workers=workers)  # <--
""",
    ),
    (
        "TG103",
        """
import random
from functools import partial

import numpy as np
from torch.utils.data import DataLoader

def start(worker, rank, seed):
    random.seed(rank + seed)
    np.random.seed(rank + seed)

def load(dataset, rank, seed):
    begin = partial(start, rank=rank, seed=seed)
    return DataLoader(  # <--
        dataset, num_workers=4, worker_init_fn=partial(start, rank=rank, seed=seed)
    )
""",
    ),
    (
        "TG107",
        """
import h5py
import torch.utils.data as data

class Volumes(data.Dataset):
    def __init__(self, file):
        super().__init__()
        self.volumes = h5py.File(file)  # <--
        self.keys = list(self.volumes)

    def __getitem__(self, i):
        return self.volumes[self.keys[i]][()]

def load(file, args):
    return data.DataLoader(Volumes(file), num_workers=args.workers)
""",
    ),
    (
        "TG204",
        """
from torch.utils.data import DataLoader

def provide(dataset, flag):
    if flag == "test":
        shuffle, size = False, 1
        drop_last = True  # <--
    else:
        shuffle, size = True, 32
        drop_last = True
    return DataLoader(dataset, batch_size=size, shuffle=shuffle, drop_last=drop_last)
""",
    ),
    (
        "TG308",
        """
import torch.nn as nn

class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels, 0.8)  # <--
""",
    ),
    (
        "TG309",
        """
import torch

def embed(n):
    table = torch.zeros(n, 8)
    table.require_grad = False  # <--
    return table
""",
    ),
    (
        "TG504",
        """
import torch

def test(net, test_loader, criterion, device):
    net.eval()
    test_loss = 0
    with torch.no_grad():
        for i, (x, y) in enumerate(test_loader):
            loss = criterion(net(x.to(device)), y.to(device))
            test_loss += loss.item()  # <--
    test_loss /= (i + 1)
    print(test_loss)
""",
    ),
    (
        "TG504",
        """
import torch

@torch.no_grad()
def evaluate(model, val_loader, loss_function):
    model.eval()
    val_loss = 0.0
    for x, y in val_loader:
        loss = loss_function(model(x), y)
        val_loss += loss.item()  # <--
    return val_loss / len(val_loader.dataset)
""",
    ),
    (
        "TG601",
        """
import torch

def load(path):
    try:
        return torch.load(path, weights_only=False)  # <--
    except FileNotFoundError:
        return None
""",
    ),
    (
        "TG602",
        """
from copy import deepcopy

import torch
from torch import nn

def save(args, path):
    model = nn.Linear(2, 2)
    state = {"model": deepcopy(model).half()}
    torch.save({"model": deepcopy(model).half(), "args": args}, path)  # <--
""",
    ),
    (
        "TG603",
        """
import torch
from torch import nn

net = nn.Linear(8, 2)
net = nn.DataParallel(net)  # torchgen: ignore[TG701] this is about the names
net = net.cuda()

def test(accuracy):
    state = {"net": net.state_dict(), "acc": accuracy}  # <--
    torch.save(state, "best.pth")
""",
    ),
    (
        "TG604",
        """
import argparse

import torch

def main(net, loader, optimizer, loss_of):
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", action="store_true")
    if parser.parse_args().resume:
        net.load_state_dict(torch.load("net-last.pth", weights_only=True))
    for epoch in range(200):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        torch.save(net.state_dict(), f"net-{epoch}.pth")  # <--
""",
    ),
    (
        "TG605",
        """
import os

import torch

def keep(states, folder, filename="checkpoint.pth"):
    torch.save(states, os.path.join(folder, filename))  # <--

def train(model, optimizer, folder, epochs):
    for epoch in range(epochs):
        keep({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, folder)
""",
    ),
    (
        "TG605",
        """
import torch

def train(model, optimizer, folder):
    last, best = folder / "last.pt", folder / "best.pt"
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, last)  # <--
""",
    ),
    (
        "TG101",
        """
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Joints(Dataset):
    def __getitem__(self, i):
        return self.points[i] * np.random.randn()

class Coco(Joints):
    pass

def load(config):
    train_set = eval("data." + config.name)(config)
    return DataLoader(train_set, num_workers=config.workers)  # <--
""",
    ),
    (
        "TG504",
        """
import numpy as np
import torch

@torch.no_grad()
def validate(model, valid_loader, criterion):
    model.eval()
    val_loss = []
    for x, y in valid_loader:
        loss = criterion(model(x), y)
        val_loss.append(loss.detach().cpu().numpy())  # <--
    return np.mean(val_loss)
""",
    ),
    (
        "TG602",
        """
from copy import deepcopy

import torch
from torch import nn

def save(path, epoch):
    net = nn.Linear(2, 2)
    content = {"epoch": epoch, "model": deepcopy(net).half()}
    torch.save(content, path)  # <--
""",
    ),
    (
        "TG101",
        """
import numpy as np
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

class Blur:
    def __call__(self, image):
        return image.blur(np.random.uniform(0.1, 2.0))

def load(root, workers):
    chain = transforms.Compose([transforms.ToTensor(), Blur()])
    images = datasets.STL10(root, split="unlabeled", transform=chain)
    return DataLoader(images, batch_size=8, shuffle=True, num_workers=workers)  # <--
""",
    ),
    (
        "TG107",
        """
from torch.utils.data import DataLoader, Dataset

class Lines(Dataset):
    def __init__(self, path):
        self.file = open(path)  # <--

    def __getitem__(self, i):
        return self.next_line()

    def next_line(self):
        return self.file.readline()

def load(path):
    return DataLoader(Lines(path), num_workers=2)
""",
    ),
    (
        "TG108",
        """
from argparse import ArgumentParser
import numpy as np
import torch

if __name__ == "__main__":
    parser = ArgumentParser()
    parser.add_argument("--lr", type=float)
    parser.add_argument("-s", "--random_seed", type=int, default=1)  # <--
    args = parser.parse_args()
    torch.manual_seed(0)
    np.random.seed(0)
    print(args.lr)
""",
    ),
    (
        "TG109",
        """
from argparse import ArgumentParser
from torch import optim
from torch.utils.data import DataLoader

class Trainer:
    def __init__(self, model, data):
        self.model, self.data = model, DataLoader(data, batch_size=4, shuffle=True)
        self.adam = optim.Adam(model.parameters())

    def one_step(self, x):
        self.adam.zero_grad()
        self.model(x).backward()  # <--
        self.adam.step()

parser = ArgumentParser()
args = parser.parse_args()
""",
    ),
    (
        "TG110",
        """
from torch.backends import cudnn

def prepare(args):
    if args.cuda:
        cudnn.benchmark = True  # <--
        cudnn.deterministic = True
""",
    ),
    (
        "TG205",
        """
import torch.utils.data as data

class Images(data.Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, i):
        return self.files[i].read()

def loaders(files, old):
    train = Images(files)
    train_loader = data.DataLoader(train, 16, num_workers=2)  # <--
    test_loader = data.DataLoader(Images(old), 16, num_workers=2)
    return train_loader, test_loader
""",
    ),
    (
        "TG310",
        """
def options(parser):
    parser.add_argument("-c", "--with_cuda", default=True, type=bool, help="yes or no")  # <--
    parser.add_argument("--ema", action="store_true")
    parser.add_argument("--lr", type=float)
""",
    ),
    (
        "TG413",
        """
def train(model, loader, optimizer, scaler):
    for number, batch in enumerate(loader):
        try:
            optimizer.zero_grad()
            loss = model(batch).mean()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        except:  # <--
            pass
""",
    ),
    (
        "TG414",
        """
from torch import optim

def fit(model, train_loader, args):
    opt = optim.SGD(model.parameters(), args.lr)
    schedule = optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs)  # <--
    for epoch in range(args.epochs):
        for x, y in train_loader:
            opt.zero_grad()
            model(x, y).backward()
            opt.step()
            schedule.step()
""",
    ),
    (
        "TG501",
        """
import torch
from torch import nn

class Trainer:
    def __init__(self, model, loader):
        self.model, self.loader = nn.Sequential(model, nn.Dropout(0.1)), loader

    def fit(self, epochs):
        for epoch in range(epochs):
            self.iterate(epoch, self.loader)

    @torch.no_grad()
    def test(self, epoch):
        self.iterate(epoch, self.loader, train=False)

    def iterate(self, epoch, loader, train=True):
        for x, y in loader:  # <--
            loss = self.model(x).sub(y).mean()
            if train:
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
""",
    ),
    (
        "TG502",
        """
def run_epoch(model, loader, optimizer, is_train):
    model.train(is_train)
    for x, y in loader:  # <--
        loss = model(x).sub(y).mean()
        if is_train:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

def fit(model, loader, held_out, optimizer):
    run_epoch(model, loader, optimizer, is_train=True)
    run_epoch(model, held_out, optimizer, is_train=False)
""",
    ),
    (
        "TG504",
        """
import torch

class Average:
    def __init__(self):
        self.sum, self.count = 0, 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

@torch.no_grad()
def evaluate(model, val_loader, loss_of):
    model.eval()
    losses, hits = Average(), Average()
    for x, y in val_loader:
        loss = loss_of(model(x), y)
        losses.update(loss.item())  # <--
        hits.update((model(x) == y).mean(), len(x))
    return losses, hits
""",
    ),
    (
        "TG505",
        """
from tqdm import tqdm

def epoch(loader, step):
    total = 0
    for i, (x, y) in enumerate(tqdm(loader)):
        total += step(x, y)
        print(total / (i + 1))
    print("mean", total / i)  # <--
""",
    ),
    (
        "TG602",
        """
import torch
from torch import nn

class Net(nn.Module):
    pass

class Trainer:
    def __init__(self, net: Net, path):
        self.net, self.path = net, path
        self.wrapped = nn.DataParallel(net)

    def save(self, step):
        torch.save([self.net, step], self.path)  # <--
        torch.save(self.net.cpu(), self.path)  # <--
        torch.save(self.wrapped.module, self.path)  # <--
        torch.save([self.net.state_dict(), step], self.path)
""",
    ),
    (
        "TG603",
        """
import torch
from torch import nn

def train(net, loader, path):
    net = nn.DataParallel(net).cuda()
    for epoch in range(9):
        net = net.eval()
        torch.save({"state": net.state_dict(), "epoch": epoch}, path / f"{epoch}.pt")  # <--
""",
    ),
    (
        "TG604",
        """
import torch

def save_checkpoint(state, is_best, filename="checkpoint.pt"):
    torch.save(state, filename + str(is_best))

def train(model, optimizer, scheduler, loader):
    for epoch in range(9):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).backward()
            optimizer.step()
        scheduler.step()
        state = {
            "epoch": epoch,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
        }
        save_checkpoint(state, is_best=False)  # <--
""",
    ),
    (
        "TG604",
        """
import torch

def options(parser):
    parser.add_argument("--continue_train", action="store_true")

def first_epoch(opt):
    return opt.epoch if opt.continue_train else 1

def train(model, optimizer, batch):
    optimizer.zero_grad()
    model(batch).backward()
    optimizer.step()

def save(net, epoch):
    torch.save(net.cpu().state_dict(), f"{epoch}_net.pt")  # <--
""",
    ),
    (
        "TG605",
        """
import torch

def save_on_master(*args, **kwargs):
    torch.save(*args, **kwargs)

def train(model, optimizer, folder):
    for epoch in range(9):
        paths = [folder / "checkpoint.pt"]
        for path in paths:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "n": epoch}
            save_on_master(state, path)  # <--
""",
    ),
    (
        "TG605",
        """
import os
import torch

def names(config, folder):
    config["last"] = os.path.join(folder, "last.pt")

def save(model, optimizer, epoch, config, cfg, folder):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    torch.save(state, config["last"])  # <--
    torch.save(state, os.path.join(folder, "{}_best.pt".format(cfg["arch"])))  # <--

def keep(model, epoch, folder):
    torch.save({"model": model.state_dict()}, os.path.join(folder, "{}_best.pt".format(epoch)))
""",
    ),
    (
        "TG607",
        """
import utils

def run(net, optimizer):
    try:
        epoch = load_checkpoint(utils.latest(), net, optimizer)
    except:  # <--
        epoch = 1
    return epoch

def load_checkpoint(state, net, optimizer):
    net.load_state_dict(state["net"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"]
""",
    ),
    (
        "TG608",
        """
import torch

def main(args, model, optimizer, validate):
    best_iou = -100.0
    first = 0
    if args.resume:
        state = torch.load(args.resume, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]
    while first < args.epochs:
        first += 1
        score = validate(model)
        if score["iou"] >= best_iou:  # <--
            best_iou = score["iou"]
            state = {"model": model.state_dict(), "best_iou": best_iou}
            torch.save(state, f"{first}.pt")
""",
    ),
    (
        "TG101",
        """
from numpy import random
from torch.utils.data import DataLoader, Dataset

class Jitter:
    def __call__(self, image):
        return image * random.uniform(0.9, 1.1)

class Boxes(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __getitem__(self, i):
        return self.pull(i)

    def pull(self, i):
        return self.transform(self.images[i])

def load(n):
    return DataLoader(Boxes(Jitter()), batch_size=8, shuffle=True, num_workers=n)  # <--
""",
    ),
    (
        "TG502",
        """
class Experiment:
    def vali(self, vali_loader, criterion):
        self.model.eval()
        for x, y in vali_loader:  # <--
            predicted, true = self.one_batch(x, y)
            print(criterion(predicted, true).item())

    def one_batch(self, x, y):
        return self.model(x.float()), y
""",
    ),
    (
        "TG502",
        """
from project import model, testdataloader

model.eval()
correct = 0
for i, (x, y) in enumerate(testdataloader, 0):  # <--
    correct += (model(x).argmax(1) == y).sum().item()
print(correct)
""",
    ),
    (
        "TG604",
        """
import torch
from torch.amp import GradScaler

def train(model, optimizer, loader, folder):
    scaler = GradScaler()
    for epoch in range(9):
        for x in loader:
            optimizer.zero_grad()
            scaler.scale(model(x)).backward()
            scaler.step(optimizer)
            scaler.update()
        state = dict(epoch=epoch, model=model.state_dict(), optimizer=optimizer.state_dict())
        torch.save(state, folder / f"{epoch}.pt")  # <--
""",
    ),
    (
        "TG603",
        """
import torch
from torch.nn.parallel import DistributedDataParallel

class Stopping:
    def __call__(self, score, model, path):
        if score > 0:
            self.save_checkpoint(model, path)

    def save_checkpoint(self, model, path):
        torch.save(model.state_dict(), path)  # <--

class Experiment:
    def __init__(self, args):
        self.model = self._build().to(args.device)

class Forecast(Experiment):
    def _build(self):
        model = make_model()
        if torch.cuda.device_count() > 1:
            model = DistributedDataParallel(model)
        return model

    def train(self, path):
        stopping = Stopping()
        stopping(1.0, self.model, path)
""",
    ),
    (
        "TG205",
        """
from torch.utils.data import DataLoader, DistributedSampler

def load(trainset, n_gpus):
    train_sampler = DistributedSampler(trainset) if n_gpus > 1 else None
    train_loader = DataLoader(  # <--
        trainset, num_workers=1, shuffle=False, sampler=train_sampler, batch_size=8
    )
    for epoch in range(9):
        if n_gpus > 1:
            train_sampler.set_epoch(epoch)
        yield train_loader
""",
    ),
    (
        "TG810",
        """
class Trainer:
    def __init__(self, scheduler, writer):
        self.scheduler, self.writer = scheduler, writer

    def log(self, step):
        self.writer.add_scalar("rate", self.scheduler.get_lr()[0], step)  # <--
""",
    ),
    (
        "TG206",
        """
import torch
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

def main(opt, model, train_set, test_set, step):
    torch.distributed.init_process_group(backend="nccl")
    train_params = {"batch_size": opt.batch_size, "shuffle": True, "num_workers": 2}
    train_loader = DataLoader(train_set, **train_params)  # <--
    test_loader = DataLoader(test_set, batch_size=8)
    model = DDP(model)
    for epoch in range(opt.epochs):
        step(model, train_loader, test_loader)
""",
    ),
    (
        "TG202",
        """
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler

def get_loader(args, trainset):
    sampler = RandomSampler(trainset) if args.rank < 0 else DistributedSampler(trainset)  # <--
    return DataLoader(trainset, sampler=sampler, batch_size=8)

def train(args, model, trainset, optimizer, loss_of):
    train_loader = get_loader(args, trainset)
    while True:
        for batch in train_loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
""",
    ),
    (
        "TG101",
        """
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Crops(Dataset):
    def __getitem__(self, i):
        return self.images[i][np.random.randint(4) :]

def load(args):
    params = {"batch_size": args.batch, "shuffle": True, "num_workers": 2}
    dataset = Crops()
    return DataLoader(dataset, **params)  # <--
""",
    ),
    (
        "TG309",
        """
def get_vocoder(model):
    model.eval()
    model.requires_grad_ = False  # <--
    return model
""",
    ),
    (
        "TG311",
        """
import torch.nn as nn

class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels, eps=1e-05, momentum=0.9, affine=True)  # <--
""",
    ),
    (
        "TG415",
        """
class Trainer:
    def fit(self, args):
        global_step = 0
        while True:
            for step, batch in enumerate(self.loader):
                loss = self.model(batch) / args.accumulation
                loss.backward()
                if step % args.accumulation == 0:  # <--
                    self.optimizer.step()
                    self.optimizer.zero_grad()
                    global_step += 1
""".replace(
            "args.accumulation == args.accumulation - 1:", "args.accumulation == 0:  # <--"
        ).replace("        self.model.zero_grad()\n", ""),
    ),
    (
        "TG416",
        """
import torch

def run(args, model, dataloader, optimizer, scaler):
    optimizer.zero_grad()
    for step, (x, y) in enumerate(dataloader):
        loss = torch.nn.functional.mse_loss(model(x), y) / args.passes
        loss.backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), 0.5)  # <--
        if (step + 1) % args.passes == 0 or step + 1 == len(dataloader):
            optimizer.step()
            optimizer.zero_grad()
""",
    ),
    (
        "TG506",
        """
import torch

def main(args, model, train, test, io):
    best_test_acc = 0
    for epoch in range(args.epochs):
        train(model)
        avg, test_acc = test(model)
        io.log(epoch, avg)
        if test_acc >= best_test_acc:  # <--
            best_test_acc = test_acc
            torch.save(model.state_dict(), f"checkpoints/{args.name}/model.t7")
""",
    ),
    (
        "TG609",
        """
import torch
import torch.nn as nn

def main(args, net, run_epoch):
    if args.ngpu > 1:
        net = nn.DataParallel(net).cuda()
    for epoch in range(args.epochs):
        run_epoch(net)
        if not args.test:
            state = {"net": net.module.state_dict(), "epoch": epoch}  # <--
            torch.save(state, f"{args.folder}/{epoch}.pt")
""",
    ),
    (
        "TG610",
        """
import torch

def evaluate(args, model):
    checkpoint = torch.load(args.model_path)  # <--
    model.load_state_dict(checkpoint["model"])
    if torch.cuda.is_available():
        model.cuda()
    return model.eval()
""",
    ),
    (
        "TG703",
        """
import torch
from torch.nn.parallel import DistributedDataParallel as DDP

def save(model, optimizer, path):
    state = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, path)  # <--

def worker(model, optimizer, epochs, run_epoch, folder):
    torch.distributed.init_process_group("nccl")
    model = DDP(model)
    for epoch in range(epochs):
        run_epoch(model)
        save(model, optimizer, f"{folder}/{epoch}.pt")
""",
    ),
    (
        "TG409",
        """
import torch

def train(loader, model, optimizer, scheduler, loss_of):
    model.train()
    scheduler.step()  # <--
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model(batch)).backward()
        optimizer.step()

def main(args, loader, model, optimizer, scheduler, loss_of):
    for epoch in range(args.epochs):
        if args.warm:
            scheduler.step()  # <--
        else:
            args.adjust(optimizer, epoch)
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model(batch)).backward()
            optimizer.step()

def repeat(args, *given):
    for epoch in range(args.epochs):
        train(*given)
""",
    ),
]
