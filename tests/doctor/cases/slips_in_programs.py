"""GPUs, flags, conditions and results that are discarded: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG345",  # one function moves the model as it should, another does not
        """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def fit(net, batches):
    net.to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in batches:
        optimizer.zero_grad()
        (net(x.to(device)) - y.to(device)).pow(2).mean().backward()
        optimizer.step()
    show(net)

def show(net):
    net.cuda()  # <--
    print(sum(one.sum() for one in net.parameters()))

fit(torch.nn.Linear(4, 4), [(torch.ones(8, 4), torch.ones(8, 4))])
""",
    ),
]

TRAINING = """
def fit(net, batches):
    net.to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in batches:
        optimizer.zero_grad()
        (net(x.to(device)) - y.to(device)).pow(2).mean().backward()
        optimizer.step()
"""

CLEAN: dict[str, str] = {
    "the GPUs that are gone through are counted first": f"""
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{TRAINING}
count = torch.cuda.device_count()
for place in range(count):
    print(torch.cuda.get_device_name(place))
fit(torch.nn.Linear(4, 4), [(torch.ones(8, 4), torch.ones(8, 4))])
""",
    "a flag is turned off where there is no GPU": f"""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--timed", action="store_true")
args = parser.parse_args()
if not torch.cuda.is_available():
    args.timed = False
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{TRAINING}
fit(torch.nn.Linear(4, 4), [(torch.ones(8, 4), torch.ones(8, 4))])
if args.timed:
    torch.cuda.synchronize()
""",
}
