"""What no run comes to, for reasons that a caller, a class or a word gives, and what one may."""

TRAINS = """
net = torch.nn.Linear(2, 1)
for batch in torch.rand(4, 8, 2):
    net(batch).mean().backward()
"""

HINTS: dict[str, tuple[str, str]] = {
    "a class that is only asked for by isinstance": (
        "TG004",
        """
import torch

class Wide(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, width)  # <--

def first_of(net):
    if isinstance(net, (torch.nn.Sequential, Wide)):
        return net[0]
    return net

print(first_of(torch.nn.ReLU()))
"""
        + TRAINS,
    ),
    "a method whose name is asked of lists": (
        "TG005",
        """
import torch

class Store:
    def __init__(self):
        self.fill({}, 4)
        self.kept = []
        self.first = []

    def fill(self, scheme, size):
        self.data = {name: torch.zeros(size) for name in scheme}

    def extend(self, scheme):
        self.fill(scheme)  # <--

def collect(store, fresh):
    found = store.first if fresh else store.kept
    found.extend([1, 2])
    return found

print(collect(Store(), True))
"""
        + TRAINS,
    ),
    "a method that has the name of an option": (
        "TG004",
        """
import torch

class Config:
    def __init__(self, **options):
        self.__dict__.update(options)

    @classmethod
    def load(cls, path):
        return cls(**yaml.safe_load(path))  # <--

args = Config(load=None)
if args.load is not None:
    print(args.load)
"""
        + TRAINS,
    ),
    "a branch for a number that no caller gives, and a method of the same name elsewhere": (
        "TG005",
        """
import torch

def pick(table, step):
    return table[step]

class Sampler:
    def run(self, x, speed=10):
        if speed > 1:
            return x[::speed]
        return self.slow(x)

    def slow(self, x):
        return pick(x, 1, x.shape)  # <--

class Other:
    def run(self, x):
        return self.slow(x)

    def slow(self, x):
        return x + 1

print(Sampler().run(torch.ones(40)), Other().run(1))
""",
    ),
    "an option of a class, where another keeps one of the same name": (
        "TG004",
        """
import torch

class Game:
    def __init__(self, size, kind="short"):
        self.size = size
        self.kind = kind

    def step(self, count):
        if self.kind == "endless":
            info["over"] = count > self.size  # <--
        return torch.ones(count)

class Arcade:
    def __init__(self, kind):
        self.kind = kind

print(Game(3).step(2), Arcade("endless").kind)
""",
    ),
    "further keywords that no caller gives": (
        "TG004",
        """
import torch

class Table(dict):
    def __init__(self, *parts, **more):
        super().__init__(*parts)
        if more:
            self.update(sorted_by(more))  # <--

print(Table({"a": torch.ones(1)}))
""",
    ),
    "a parameter for a name alone, and one of the function around": (
        "TG004",
        """
import torch

def edges_of(x, *, count=4, verbose=False):
    if verbose:
        show = tqdm  # <--
    return torch.linspace(x.min(), x.max(), count)

def predict(x, graphs=False):
    def once(part):
        return Kept() if graphs else part.detach()

    return [once(part) for part in x]

print(edges_of(torch.rand(8), count=3), predict(torch.rand(3)))
""",
    ),
    "what is asked only where it cannot matter": (
        "TG004",
        """
import torch

def seen(unit):
    return unit.health > 0 or (unit.health > 0 and sees_all)  # <--

print(seen(torch.ones(1)))
""",
    ),
    "the forward of a layer that is only asked for its loss": (
        "TG005",
        """
import torch

class Chain(torch.nn.Module):
    def __init__(self):
        super(Chain, self).__init__()
        self.scores = torch.nn.Parameter(torch.zeros(2))

    def decode(self, features, mask):
        return (features + self.scores) * mask

    def forward(self, features):
        return self.decode(features)  # <--

class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.chain = Chain()

    def forward(self, x):
        return self.chain.decode(x, x > 0)

print(Tagger()(torch.ones(2)))
"""
        + TRAINS,
    ),
    "a flag of old torch in a forward": (
        "TG812",
        """
import torch
from torch.autograd import Variable

class Net(torch.nn.Module):
    def forward(self, x):
        for kind in range(3):
            chosen = Variable((x == kind).nonzero(), volatile=True)  # <--
            x = x[chosen]
        return x
""",
    ),
    "a branch of a loader for training and validation": (
        "TG204",
        """
from torch.utils.data import DataLoader

def provide(data, flag):
    if flag == "test":
        mixed, last = False, False
        drop = False
    else:
        mixed = True
        drop = True  # <--
    return DataLoader(data, 8, shuffle=mixed, drop_last=drop)

def run(data):
    train = provide(data, "train")
    return train, provide(data, "val"), provide(data, "test")
""",
    ),
    "a logarithm that is only taken under no_grad": (
        "TG327",
        """
import torch

class Net(torch.nn.Module):
    def search(self, x):
        return self.head(x).softmax(dim=-1).log().argmax(-1)  # <--

    def decode(self, x):
        return self.search(x)

def evaluate(net, batches):
    net.eval()
    with torch.no_grad():
        return [net.decode(batch) for batch in batches]
""",
    ),
    "a name of its own that stops the program": (
        "TG004",
        """
import torch

def show(values):
    print(torch.tensor(values))
    isdn  # <--

show([1.0])
""",
    ),
    "an option's word that nothing else says": (
        "TG004",
        """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--data", default="digits", help="digits or letters")
args = parser.parse_args()
if args.data == "digits":
    data = torch.ones(1)
elif args.data == "letters":
    data = torch.ones(2)
elif args.data == "unreleased_signs":
    data = signs.load()  # <--
print(data)
""",
    ),
    "a method beside one that is chosen of two": (
        "TG004",
        """
import torch

def flipped(x):
    order = getattr(torch.arange(x.size(0) - 1, -1, -1), ("cpu", "cuda")[x.is_cuda])()
    return x[order]

class Keeper:
    def restore(self, path):
        return torch.load(folder / path, weights_only=True)  # <--

def propose(trial, kind):
    return getattr(trial, f"suggest_{kind}")("lr", 0.1, 1)

print(flipped(torch.ones(3)), Keeper(), propose, "the word restore stands here")
"""
        + TRAINS,
    ),
    "what nobody calls, where exec only sets an attribute": (
        "TG327",
        """
import torch

class Settings:
    def put(self, name, value):
        exec(f"self.{name} = value")

def spare(x):
    return torch.softmax(x, dim=1).log()  # <--

Settings().put("a", 1)
print("the word spare stands here")
"""
        + TRAINS,
    ),
}
PLANTED: list[tuple[str, str]] = [
    (
        "TG004",  # an object is made
        """
import torch

class Wide(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, width)  # <--

print(isinstance(Wide(), torch.nn.Module))
"""
        + TRAINS,
    ),
    (
        "TG005",  # of what it is asked is not known
        """
import torch

class Store:
    def __init__(self):
        self.fill({}, 4)

    def fill(self, scheme, size):
        self.data = {name: torch.zeros(size) for name in scheme}

    def extend(self, scheme):
        self.fill(scheme)  # <--

def collect(stores):
    found = stores[0] if stores else []
    found.extend([1, 2])
    return found

print(collect([Store()]))
"""
        + TRAINS,
    ),
    (
        "TG004",  # a property is read
        """
import torch

class Config:
    def __init__(self, **options):
        self.__dict__.update(options)

    @property
    def load(self):
        return yaml.safe_load("a")  # <--

args = Config(size=None)
if args.load is not None:
    print(args.load)
"""
        + TRAINS,
    ),
    (
        "TG005",  # a number that a caller gives
        """
import torch

def pick(table, step):
    return table[step]

class Sampler:
    def run(self, x, speed=10):
        if speed > 1:
            return x[::speed]
        return self.slow(x)

    def slow(self, x):
        return pick(x, 1, x.shape)  # <--

print(Sampler().run(torch.ones(40)), Sampler().run(torch.ones(40), 1))
""",
    ),
    (
        "TG004",  # an heir of both classes
        """
import torch

class Game:
    def __init__(self, size, kind="short"):
        self.size = size
        self.kind = kind

    def step(self, count):
        if self.kind == "endless":
            info["over"] = count > self.size  # <--
        return torch.ones(count)

class Arcade:
    def insert(self, kind):
        self.kind = kind

class Both(Game, Arcade):
    pass

both = Both(3)
both.insert("endless")
print(both.step(2))
""",
    ),
    (
        "TG004",  # a keyword that is one more
        """
import torch

class Table(dict):
    def __init__(self, *parts, **more):
        super().__init__(*parts)
        if more:
            self.update(sorted_by(more))  # <--

print(Table({"a": torch.ones(1)}, b=2))
""",
    ),
    (
        "TG005",  # the layer is handed on, and may be called there
        """
import torch

class Chain(torch.nn.Module):
    def decode(self, features, mask):
        return features * mask

    def forward(self, features):
        return self.decode(features)  # <--

class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.chain = Chain()

    def forward(self, x):
        return run(self.chain, x), self.chain.decode(x, x > 0)

def run(layer, x):
    return layer(x)

print(Tagger()(torch.ones(2)))
"""
        + TRAINS,
    ),
    (
        "TG204",  # the training has a branch of its own
        """
from torch.utils.data import DataLoader

def provide(data, flag):
    if flag == "train":
        drop = False
    else:
        drop = True  # <--
    return DataLoader(data, 8, drop_last=drop)

def run(data):
    train = provide(data, "train")
    return train, provide(data, "val"), provide(data, "test")
""",
    ),
    (
        "TG327",  # one of the callers trains
        """
import torch

class Net(torch.nn.Module):
    def scores(self, x):
        return self.head(x).softmax(dim=-1).log()  # <--

def evaluate(net, batches):
    net.eval()
    with torch.no_grad():
        return [net.scores(batch) for batch in batches]

def train(net, batches):
    for batch in batches:
        net.scores(batch).mean().backward()
""",
    ),
    (
        "TG004",  # a statement that is misspelled
        """
import torch

for value in torch.ones(3):
    if value > 0:
        contniue  # <--
    print(value)
""",
    ),
    (
        "TG004",  # the word is one of those that are offered
        """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--data", choices=["digits", "signs"])
args = parser.parse_args()
if args.data == "digits":
    data = torch.ones(1)
elif args.data == "signs":
    data = load_signs()  # <--
print(data)
""",
    ),
    (
        "TG327",  # what is run may name anything
        """
import torch

def spare(x):
    return torch.softmax(x, dim=1).log()  # <--

exec(f"net = {input()}")
print("the word spare stands here")
"""
        + TRAINS,
    ),
]
CLEAN: dict[str, str] = {what: code for what, (_, code) in HINTS.items()}
