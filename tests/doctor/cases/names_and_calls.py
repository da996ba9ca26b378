"""Names and arguments that are there after all, and those that only look so."""

LOOP = """
def fit(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for images in loader:
        optimizer.zero_grad()
        model(images).sum().backward()
        optimizer.step()
"""
PLANTED: list[tuple[str, str]] = [
    (
        "TG004",
        f"""
import torch
{LOOP}
def plot(losses):
    import matplotlib.pyplot as plt
    plt.plot(losses)

def show(image):
    plt.imshow(image)  # <--

fit(torch.nn.Linear(2, 2), [torch.rand(2, 2)])
show(torch.rand(2, 2))
plot([1])
""",
    ),
    (
        "TG004",
        f"""
import torch
{LOOP}
def main():
    model = torch.nn.Linear(2, 2)
    try:
        fit(model, [torch.rand(2, 2)])
        print(best_epoch)  # <--
    except KeyboardInterrupt:
        print("stopped")
    torch.save(model.state_dict(), "last.pt")

main()
""",
    ),
    (
        "TG005",
        f"""
import torch
{LOOP}
class Net(torch.nn.Linear):
    def __init__(self, width, depth):
        super().__init__(width, depth)

class Small(Net):
    def __init__(self, width):
        super().__init__(width)  # <--

class Runner:
    def __init__(self, model):
        self.model = model

    def run(self, loader):
        fit(self.model, loader)

    def export(self, path):
        torch.save(self.model.state_dict(), path)

def main():
    runner = Runner(Small(2))
    runner.run([torch.rand(2, 2)])
    runner.export("last.pt", "onnx")  # <--

main()
""",
    ),
    (
        "TG006",
        f"""
import argparse
import torch
{LOOP}
def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=2)
    args = parser.parse_args()
    return args

class Runner:
    def __init__(self, args):
        self.args = args
        self.model = torch.nn.Linear(args.width, 2)

    def run(self):
        print(self.args.depth)  # <--
        fit(self.model, [torch.rand(2, 2)])

def main(options):
    print(options.height)  # <--
    Runner(options).run()

if __name__ == "__main__":
    options = get_args()
    print(options.length)  # <--
    main(get_args())
""".replace("options", "opt"),
    ),
    (
        "TG004",
        f"""
import torch
{LOOP}
def show(images, title=None, path=None):
    if title is not None:
        window.draw(title)  # <--
    print(images)

def main(args):
    fit(torch.nn.Linear(2, 2), [torch.rand(2, 2)])
    show(torch.rand(2, 2), args.title)
    show(torch.rand(2, 2))

main(None)
""",
    ),
    (
        "TG006",
        f"""
import argparse
import torch
import torchvision
{LOOP}
def parse_args():
    args = argparse.ArgumentParser()
    args.add_argument("--width", type=int, default=2)
    args = args.parse_args()
    return args

if __name__ == "__main__":
    args = parse_args()
    for name, value in vars(args).items():
        print(name, value)
    net = torchvision.models.__dict__["resnet18"]()
    if args.submit:  # <--
        print(net)
    fit(torch.nn.Linear(args.width, 2), [torch.rand(2, 2)])
""",
    ),
]
CLEAN: dict[str, str] = {
    "names that the file puts into its own table of names": f"""
import json
import sys
import torch
{LOOP}
with open("settings.json") as file:
    vars().update(json.load(file))
for size in (2, 4):
    setattr(sys.modules[__name__], f"net{{size}}", lambda: torch.nn.Linear(size, 2))
fit(net2(), [torch.rand(batch_size, 2)])
""",
    "names of Python 2, where the code asks which Python it is": f"""
import sys
import six
import torch
{LOOP}
TEXT = str if six.PY3 else unicode
KINDS = (str,) if sys.version_info[0] >= 3 else (basestring,)
if six.PY3:
    number = int
else:
    number = long
fit(torch.nn.Linear(2, 2), [torch.rand(2, 2)])
""",
    "names in an assertion's message, and where the code asks for them": f"""
import torch
{LOOP}
def show(image):
    assert image.dim() == 2, f"not {{count}} numbers"
    if "title" in locals():
        print(title)
    print(image)

fit(torch.nn.Linear(2, 2), [torch.rand(2, 2)])
show(torch.rand(2, 2))
""",
    "names in what is switched off by hand, or comes after the end": f"""
import sys
import torch
{LOOP}
SHOW = False

def check(image):
    if SHOW:
        window.show(image)
    if True:
        return image
    else:
        return other(image)

fit(torch.nn.Linear(2, 2), [check(torch.rand(2, 2))])
sys.exit()
evaluate_everything()
""",
    "an error that is expected": f"""
import contextlib
import torch
{LOOP}
def make(width, depth):
    return torch.nn.Linear(width, depth)

with contextlib.suppress(NameError):
    get_ipython_version()
with contextlib.suppress(TypeError):
    make(2)
fit(make(2, 2), [torch.rand(2, 2)])
""",
    "what a workflow gives to its scripts": f"""
import torch
{LOOP}
data = torch.load(snakemake.input[0], weights_only=True)
fit(torch.nn.Linear(2, 2), [data])
""",
    "names that a pattern binds": """
import sys
import torch

match {"name": "adam", "lr": torch.rand(1)}:
    case {"name": kind, **options}:
        print(kind, options)
    case [first, *others]:
        print(first, others)
""",
    "functions and methods that something else takes the place of": f"""
import functools
import torch
{LOOP}
class Net(torch.nn.Linear):
    def __init__(self, width, depth):
        super().__init__(width, depth)

Net = functools.partial(Net, depth=2)

def scale(images, factor):
    return images * factor

for scale in [torch.sigmoid]:
    pass

class Runner:
    def __init__(self, model):
        self.model = model
        setattr(self, "compute", model)

    def compute(self, images, labels):
        raise NotImplementedError

    def step(self, images, labels):
        raise NotImplementedError

    def run(self, loader):
        fit(self.model, [self.step(self.compute(scale(images))) for images in loader])

class Other(Runner):
    step = lambda self, images: images

Other(Net(2)).run([torch.rand(2, 2)])
""",
    "classes whose bases see to what they take": f"""
import torch
{LOOP}
class Base:
    def __init_subclass__(cls, **options):
        make = cls.__init__
        cls.__init__ = lambda self, *given: make(self, *given, 2)

class Runner(Base):
    def __init__(self, model, times):
        self.model = model

    def run(self, loader):
        fit(self.model, loader)

class Mixin:
    def __init__(self, **options):
        super().__init__(**options)

class Named:
    def __init__(self, name):
        self.name = name

class Both(Mixin, Named):
    def __init__(self):
        super().__init__(name="both")

Both()
Runner(torch.nn.Linear(2, 2)).run([torch.rand(2, 2)])
""",
    "a base that depends on what is installed": f"""
import torch
{LOOP}
if torch.cuda.is_available():
    class Root:
        def __init__(self, width, depth):
            self.width = width
else:
    class Root:
        def __init__(self, width):
            self.width = width

class Runner(Root):
    def __init__(self):
        super().__init__(1, 2)

Runner()
fit(torch.nn.Linear(2, 2), [torch.rand(2, 2)])
""",
    "flags that a library adds": f"""
import argparse
import deepspeed
import torch
{LOOP}
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=2)
    parser = deepspeed.add_config_arguments(parser)
    args = parser.parse_args()
    print(args.deepspeed_config)
    fit(torch.nn.Linear(args.width, 2), [torch.rand(2, 2)])

main()
""",
    "flags by another name of the method": f"""
import argparse
import torch
{LOOP}
def main():
    parser = argparse.ArgumentParser()
    add = parser.add_argument_group("net").add_argument
    add("--depth", type=int, default=2)
    parser.add_argument("--width", type=int, default=2)
    args = parser.parse_args()
    print(args.depth)
    fit(torch.nn.Linear(args.width, 2), [torch.rand(2, 2)])

main()
""",
    "flags from a file of settings, and one that is asked for": f"""
import argparse
import json
import torch
{LOOP}
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=2)
    with open("settings.json") as file:
        parser.set_defaults(**json.load(file))
    args = parser.parse_args()
    print(args.depth)
    fit(torch.nn.Linear(args.width, 2), [torch.rand(2, 2)])

def show():
    parser = argparse.ArgumentParser()
    parser.add_argument("--height", type=int, default=2)
    args = parser.parse_args()
    if "title" in args:
        print(args.title, args.height)

main()
show()
""",
    "names under an argument that nobody gives": f"""
import torch
{LOOP}
class Net(torch.nn.Linear):
    def __init__(self, width, depth, plain=False):
        super().__init__(width, depth)
        if plain:
            set_weights(self)

def show(images, title=None, save=False):
    if title is not None:
        window.draw(title)
    if not save:
        print(images)
    else:
        write(images)

fit(Net(2, 2), [torch.rand(2, 2)])
show(torch.rand(2, 2))
show(torch.rand(2, 2), save=False)
""",
    "flags that the table of the namespace gets": f"""
import argparse
import torch
{LOOP}
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=2)
    args = parser.parse_args()
    table = vars(args)
    table.update({{"depth": 3}})
    fit(torch.nn.Linear(args.width, args.depth), [torch.rand(2, 2)])

main()
""",
}
