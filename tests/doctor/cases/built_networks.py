"""Networks that functions build, and lists of objects: how they are saved, read and evaluated."""

FACTORY = """
import torch
from torch import nn
from torch.utils.data import DataLoader

class Generator(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, width, 3), nn.{layer}, nn.Conv2d(width, 3, 3))

    def forward(self, x):
        return self.layers(x)

def prepare(net, device):
    net.to(device)
    return net

def define_generator(kind, width, device):
    net = None
    if kind == "small":
        net = Generator(width, 0.1)
    elif kind == "large":
        net = Generator(2 * width, 0.5)
    return prepare(net, device)
"""
WITH_NORM = FACTORY.format(layer="BatchNorm2d(width)")
WITHOUT = FACTORY.format(layer="ReLU()")
PROGRAM = """
def main(train_set, test_set, device, epochs, gan_loss):
    loader = DataLoader(train_set, batch_size=4, shuffle=True)
    testing_data_loader = DataLoader(test_set, batch_size=4)
    net_g = define_generator("small", 64, device)
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(net_g.parameters())
    for epoch in range(epochs):
        {train}
        for source, target in loader:
            optimizer.zero_grad()
            gan_loss(net_g(source), target).backward()
            optimizer.step()
        {evaluate}
        total = 0.0
        for source, target in testing_data_loader:{loop}
            total += criterion(net_g(source), target).item()
        print(total / len(testing_data_loader))
        torch.save({saved}, f"net_{{epoch}}.pth"){save}
"""
STATE = {"saved": "net_g.state_dict()", "save": ""}

PLANTED: list[tuple[str, str]] = [
    (
        "TG501",
        WITH_NORM
        + PROGRAM.format(
            train="print(epoch)",
            evaluate="torch.set_grad_enabled(epoch < 0)",
            loop="  # <--",
            **STATE,
        ),
    ),
    (
        "TG502",
        WITH_NORM
        + PROGRAM.format(train="net_g.train()", evaluate="net_g.eval()", loop="  # <--", **STATE),
    ),
    (
        "TG612",
        WITH_NORM
        + PROGRAM.format(
            train="net_g.train()",
            evaluate="net_g.eval()",
            loop="",
            saved="net_g",
            save="",
        )
        + """
def sample(path, images, device):
    net = torch.load(path).to(device)  # <--
    net.eval()
    with torch.no_grad():
        return net(images)
""",
    ),
    (
        "TG501",
        """
import torch
from torch import nn

def build(width):
    return nn.Sequential(nn.Linear(8, width), nn.Dropout(0.5), nn.Linear(width, 2))

class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x):
        return self.norm(x)

def save(path):
    head = Head(8)
    torch.save(head, path)

def show(path, device, images):
    head = torch.load(path, weights_only=False).to(device)
    for image in images:  # <--
        print(head(image.to(device)).argmax())
""",
    ),
    (
        "TG612",
        """
import torch

class Example:
    def __init__(self, text, label):
        self.text, self.label = text, label

def examples_of(lines, file):
    if file.exists():
        examples = torch.load(file)  # <--
    else:
        examples = []
        for line in lines:
            example = Example(line[0], int(line[1]))
            examples.append(example)
        torch.save(examples, file)
    return examples
""",
    ),
]

LOOP = "        for source, target in testing_data_loader:\n            total"
QUIET = """        for source, target in testing_data_loader:
            with torch.no_grad():
                fake = net_g(source)
            total"""


def quiet(code: str) -> str:
    """A program whose evaluation builds no graphs."""
    return code.replace(LOOP, QUIET).replace("criterion(net_g(source)", "criterion(fake")


CLEAN: dict[str, str] = {
    "a built network is switched, and its state saved": WITH_NORM
    + quiet(PROGRAM.format(train="net_g.train()", evaluate="net_g.eval()", loop="", **STATE))
    + """
def sample(path, images, device):
    net = define_generator("small", 64, device)
    net.load_state_dict(torch.load(path, map_location=device))
    net.eval()
    with torch.no_grad():
        return net(images)
""",
    "a built network without layers that have modes": WITHOUT
    + quiet(PROGRAM.format(train="print(epoch)", evaluate="print()", loop="", **STATE)),
    "a function that returns the state of what it builds": WITH_NORM
    + """
def weights_of(width, device):
    net = define_generator("small", width, device)
    return net.state_dict()

def keep(path, device):
    weights = weights_of(64, device)
    torch.save(weights, path)

def read(path, device):
    weights = torch.load(path, map_location=device)
    return {name: value.mean() for name, value in weights.items()}
""",
    "one of two is a network, the other its state": WITH_NORM
    + """
def parts(width, device, whole):
    net = define_generator("small", width, device)
    if whole:
        return net.half()
    return {name: value.half() for name, value in net.state_dict().items()}

def keep(path, device):
    found = parts(64, device, False)
    torch.save(found, path)

def read(path, device):
    return torch.load(path, map_location=device)
""",
    "a network that measures samples of the test": """
import torch
from torch import nn

class PerceptualLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))

    def forward(self, x, y):
        return (self.layers(x) - self.layers(y)).abs().mean()

def make_distance(device):
    return PerceptualLoss().to(device)

def compare(testing_data_loader, device):
    perceptual = make_distance(device)
    return [perceptual(x, y).item() for x, y in testing_data_loader]

def worst(testing_data_loader, device):
    perceptual, found = make_distance(device), 0.0
    for x, y in testing_data_loader:
        found = max(found, perceptual(x, y).item())
    return found
""",
    "a whole network that is read, switched and moved": WITH_NORM
    + """
def sample(path, images, device):
    net = torch.load(path, weights_only=False).eval().to(device)
    with torch.no_grad():
        for image in images:
            print(net(image))
""",
    "test-time training on each batch": WITH_NORM
    + """
def adapt(testing_data_loader, device, optimizer_of, loss_of):
    net = define_generator("small", 64, device)
    optimizer = optimizer_of(net)
    for source, _ in testing_data_loader:
        optimizer.zero_grad()
        loss_of(net(source)).backward()
        optimizer.step()
""",
    "lists of plain data, and of objects that another way brings": """
import pickle

import torch

class Example:
    def __init__(self, text, label):
        self.text, self.label = text, label

    def as_dict(self):
        return {"text": self.text, "label": self.label}

def examples_of(lines, file):
    if file.exists():
        examples = torch.load(file)
    else:
        examples = []
        for line in lines:
            example = Example(line[0], int(line[1]))
            examples.append(example.as_dict())
        torch.save(examples, file)
    return examples

def tensors_of(lines, file):
    tensors = []
    for line in lines:
        tensors.append(torch.tensor(line))
    torch.save(tensors, file)
    return torch.load(file)

def pickled(lines, file):
    examples = []
    for line in lines:
        examples.append(Example(*line))
    pickle.dump(examples, file.open("wb"))
    torch.save([one.text for one in examples], "texts.pt")
    return torch.load("texts.pt")
""",
}
