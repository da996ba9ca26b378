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
}
