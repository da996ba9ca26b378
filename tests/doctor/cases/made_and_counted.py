"""Parameters without values, counts, and what is asked for in the wrong place."""

TRAINING = """

def step(model, optimizer, x, y):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
"""
HEAD = "import torch\nfrom torch import nn\nfrom torch.nn.parameter import Parameter\n\n\n"
SCALED = """class Scaled(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.empty(width))
        {fill}

    def forward(self, x):
        return x * self.scale
"""
COUNT = "import argparse\nimport torch\n\nparser = argparse.ArgumentParser()\n"
LOADER = """import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def score(model, dataset, args, measure):
    model.eval()
    loader = DataLoader(dataset, batch_size=args.batch_size, {options})
    total = 0
    for index, (image, mask) in enumerate(loader):
        image = image.to("cpu")
        output = model(image)
"""

PLANTED: list[tuple[str, str]] = [
    (
        "TG348",  # a registered bias, beside a weight that is drawn by a method
        HEAD
        + """class Mixing(nn.Module):
    def __init__(self, columns, rows, bias=True):
        super().__init__()
        self.weight = Parameter(torch.FloatTensor(columns, rows))
        self.register_parameter("offset", Parameter(torch.FloatTensor(rows)))
        if bias:
            self.shift = Parameter(torch.empty(1, rows))  # <--
        else:
            self.register_parameter("shift", None)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.weight)
        self.offset.data.zero_()

    def forward(self, x):
        mixed = x @ self.weight + self.offset
        return mixed if self.shift is None else mixed + self.shift
"""
        + TRAINING,
    ),
    (
        "TG348",  # a function draws the values of other layers
        HEAD
        + SCALED.replace("empty(width))\n", "empty(width))  # <--\n").format(fill="")
        + """

def draw(layer):
    if isinstance(layer, nn.BatchNorm2d):
        layer.scale.data.fill_(1)


def build(width):
    model = nn.Sequential(nn.Linear(width, width), Scaled(width))
    model.apply(draw)
    return model
"""
        + TRAINING,
    ),
    (
        "TG348",  # another class draws the values of its own parameters
        HEAD
        + SCALED.replace("empty(width))\n", "empty(width))  # <--\n").format(fill="")
        + """

class Other(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mix = nn.Parameter(torch.empty(width, width))
        for weight in self.parameters():
            weight.data.uniform_(-0.1, 0.1)

    def forward(self, x):
        return x @ self.mix
"""
        + TRAINING,
    ),
    (
        "TG349",  # the size of a layer
        COUNT
        + """parser.add_argument("--hidden", type=float, default=64)  # <--
args = parser.parse_args()
layer = torch.nn.Linear(10, args.hidden)
""",
    ),
    (
        "TG349",  # computed with, and kept by an object
        COUNT
        + """parser.add_argument("--warmup", default=5, type=float)  # <--


class Trainer:
    def __init__(self, args):
        self.args = args

    def rates(self):
        return [0.1 * step for step in range(1, self.args.warmup + 1)]


Trainer(parser.parse_args()).rates()
""",
    ),
    (
        "TG349",  # a part of a list, and the workers of a loader
        COUNT
        + """parser.add_argument("--shown", type=float, default=8)  # <--
parser.add_argument("--workers", type=float, default=4)  # <--
args = parser.parse_args()
loader = torch.utils.data.DataLoader(list(range(100)), num_workers=args.workers)
print(list(range(100))[: args.shown])
""",
    ),
    (
        "TG351",
        """
from torch import cross_entropy  # <--

def loss(model, x, y):
    return cross_entropy(model(x), y)
""",
    ),
    (
        "TG351",
        """
import torch as th

def head(width, classes):
    return th.Linear(width, classes)  # <--
""",
    ),
    (
        "TG352",  # a method that others are to write
        """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return NotImplementedError  # <--
""",
    ),
    (
        "TG352",
        """
import torch

def optimizer(name, parameters):
    if name == "adam":
        return torch.optim.Adam(parameters)
    elif name == "sgd":
        return torch.optim.SGD(parameters, lr=0.1)
    else:
        return ValueError("no such optimizer")  # <--
""",
    ),
    (
        "TG353",
        """
import os

def prepare(folder, device):
    os.system("cd %s" % folder)  # <--
    os.system(f"export CUDA_VISIBLE_DEVICES={device}")  # <--
""",
    ),
    (
        "TG353",
        """
import subprocess

subprocess.run("source env/bin/activate", shell=True)  # <--
subprocess.call("ulimit -n 4096", shell=True)  # <--
""",
    ),
    (
        "TG223",
        LOADER.format(options="num_workers=2")
        + """        for i in range(args.batch_size):  # <--
            total += measure(output[i], mask[i])
    return total
""",
    ),
    (
        "TG223",  # a name for the size, in a method
        """
import torch
from torch.utils.data import DataLoader

class Saver:
    def __init__(self, data, size):
        self.batch_size = size
        self.test_loader = DataLoader(data, self.batch_size, shuffle=False)

    def save(self, write):
        for images, names in self.test_loader:
            images = images.cpu()
            for k in range(self.batch_size):  # <--
                write(images[k], names[k])
""",
    ),
]

CLEAN: dict[str, str] = {
    **{
        f"a parameter that gets values: {fill}": HEAD + SCALED.format(fill=fill) + TRAINING
        for fill in (
            "nn.init.ones_(self.scale)",
            "self.scale.data = torch.ones(width)",
            "self.reset(self.scale)",
            "torch.nn.init.normal_(tensor=self.scale)",
            "for one in (self.scale,): one.data.fill_(1)",
            "[nn.init.normal_(one) for one in self.parameters()]",
            "with torch.no_grad(): self.scale[:] = 1",
            "with torch.no_grad(): self.scale.copy_(torch.ones(width))",
            "scale = self.scale; scale.data.fill_(1)",
            "getattr(self, 'scale').data.fill_(1)",
        )
    },
    "a parameter that a function of the program draws": HEAD
    + SCALED.format(fill="")
    + """

def draw(layer):
    if isinstance(layer, Scaled):
        layer.scale.data.fill_(1)


def build(width):
    return Scaled(width).apply(draw)
"""
    + TRAINING,
    **{
        f"a parameter that a function draws in a branch: {test}": HEAD
        + SCALED.format(fill="")
        + f"""

KINDS = (nn.Linear, Scaled)


def draw(layer):
    if {test}:
        layer.scale.data.fill_(1)
"""
        + TRAINING
        for test in (
            "isinstance(layer, nn.Linear):\n        print(layer)\n    elif layer.scale is not None",
            "isinstance(layer, KINDS) or layer.kind == 1",
            "isinstance(layer, nn.Module)",
            "not isinstance(layer, nn.Linear)",
            "layer.__class__.__name__.find('cale') != -1",
            "hasattr(layer, 'scale')",
        )
    },
    "all parameters are drawn by the program": HEAD
    + SCALED.format(fill="")
    + """

def build(width):
    model = Scaled(width)
    for name, weight in model.named_parameters():
        if weight.dim() > 1:
            nn.init.xavier_uniform_(weight)
        else:
            nn.init.uniform_(weight)
    return model
"""
    + TRAINING,
    "a model draws the parameters of its parts": HEAD
    + SCALED.format(fill="")
    + """

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scaled = Scaled(width)
        self.begin()

    def begin(self):
        for weight in self.parameters():
            weight.data.uniform_(-0.1, 0.1)

    def forward(self, x):
        return self.scaled(x)
"""
    + TRAINING,
    "a class that derives from it draws": HEAD
    + SCALED.format(fill="")
    + """

class Drawn(Scaled):
    def __init__(self, width):
        super().__init__(width)
        nn.init.ones_(self.scale)
"""
    + TRAINING,
    "parameters with values, without any, and for their device": HEAD
    + """class Held(nn.Module):
    def __init__(self, values, width):
        super().__init__()
        self.fixed = nn.Parameter(torch.Tensor(values))
        self.drawn = nn.Parameter(torch.Tensor(width, width).normal_())
        self.none = nn.Parameter(torch.empty(0))
        self.place = nn.Parameter(torch.empty(1))

    def forward(self, x):
        return x.to(self.place.device) @ self.drawn * self.fixed + self.none.sum()
"""
    + TRAINING,
    "a layer of torch draws it": HEAD
    + """class Wider(nn.Linear):
    def __init__(self, columns, rows):
        super().__init__(columns, rows)
        self.weight = nn.Parameter(torch.empty(rows, columns))
        self.reset_parameters()

    def forward(self, x):
        return nn.functional.linear(x, self.weight, self.bias)
"""
    + TRAINING,
    "floats that may be floats": COUNT
    + """parser.add_argument("--rate", type=float, default=0.1)
parser.add_argument("--epochs", type=float, default=1e3)
parser.add_argument("--steps", type=float, default=100)
parser.add_argument("--late", type=float, default=100)
parser.add_argument("--width", type=float, default=0.5)
args = parser.parse_args()
args.late = int(args.late)
for epoch in range(int(args.epochs)):
    print(args.rate * epoch, torch.arange(args.width), "-" * 5)
for step in range(round(args.steps / 2) + args.late):
    print(torch.full((2,), args.width))
""",
    "a flag of the same name in another table": COUNT
    + """parser.add_argument("--step", type=float, default=0.1)
args = parser.parse_args()


class Grid:
    def __init__(self, step):
        self.step = step

    def cells(self):
        return list(range(self.step))


print(args.step, Grid(3).cells())
""",
    "names of torch where they may be missing": """
import torch

def encoded(labels, classes):
    if hasattr(torch, "one_hot"):
        return torch.one_hot(labels, classes)
    try:
        return torch.softplus(labels)
    except AttributeError:
        return torch.nn.functional.softplus(labels)

def layer(net: "torch.Module") -> "torch.Linear":
    return torch.relu(torch.conv2d(net.x, net.weight))
""",
    "a name that the program adds to torch": """
import torch

torch.softplus = torch.nn.functional.softplus

def positive(x):
    return torch.softplus(x)
""",
    "a name of another torch": """
import torch.nn.functional as torch

def positive(x):
    return torch.softplus(x)
""",
    "exceptions that are meant to be returned": """
def refuse(name):
    return ValueError(f"{name} is not known")

def error_of(number):
    if number == 1:
        return None
    return RuntimeError(number)

def missing(name):
    if name:
        return KeyError(name)
    return OSError()

def found(table, name):
    if name not in table:
        raise refuse(name)
    return table[name]
""",
    "results that may be exceptions": """
def tried(action):
    if action is None:
        return ValueError("nothing to do")
    return action()

def run(actions):
    for result in map(tried, actions):
        if isinstance(result, Exception):
            raise result
""",
    "shells that do something": """
import os
import subprocess

def build(folder, command):
    os.system(f"cd {folder} && make")
    os.system("export OMP_NUM_THREADS=1; python train.py")
    os.system("cd " + folder + " | true")
    os.system(" && ".join(["cd " + folder, command]))
    os.system("exportfs -a")
    subprocess.run("source env.sh\\npython train.py", shell=True)
    if os.system("cd " + folder) != 0:
        raise OSError(folder)
""",
    **{
        f"samples of batches, counted with care: {number}": LOADER.format(options=options) + loop
        for number, (options, loop) in enumerate(
            (
                (
                    "drop_last=True",
                    "        for i in range(args.batch_size):\n"
                    "            total += measure(output[i], mask[i])\n    return total\n",
                ),
                (
                    "num_workers=2",
                    "        for i in range(len(mask)):\n"
                    "            total += measure(output[i], mask[i])\n    return total\n",
                ),
                (
                    "num_workers=2",
                    "        for i in range(args.batch_size):\n"
                    "            if i >= mask.size(0):\n                break\n"
                    "            total += measure(output[i], mask[i])\n    return total\n",
                ),
                (
                    "num_workers=2",
                    "        if len(mask) < args.batch_size:\n            continue\n"
                    "        for i in range(args.batch_size):\n"
                    "            total += measure(output[i], mask[i])\n    return total\n",
                ),
                (
                    "num_workers=2",
                    "        if index == 0:\n            for i in range(args.batch_size):\n"
                    "                total += measure(output[i], mask[i])\n    return total\n",
                ),
                (
                    "num_workers=2",
                    "        for i in range(args.batch_size):\n"
                    "            total += measure(output[i:], mask[i:])\n    return total\n",
                ),
                (
                    "num_workers=2",
                    "        mask = measure(mask, args)\n"
                    "        for i in range(args.batch_size):\n"
                    "            total += mask[i]\n    return total\n",
                ),
            )
        )
    },
}
