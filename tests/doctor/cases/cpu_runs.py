"""Runs on the CPU that open what a GPU wrote: planted faults, and code that has none."""

TRAINING = """
import argparse
import torch

def fit(net, batches):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in batches:
        optimizer.zero_grad()
        (net(x) - y).pow(2).mean().backward()
        optimizer.step()

@torch.no_grad()
def evaluate(net, batches):
    net.eval()
    return [net(x) for x, _ in batches]
"""
BATCHES = """
    batches = [(torch.ones(8, 4).to(args.device), torch.ones(8, 4).to(args.device))]
    net = torch.nn.Linear(4, 4).to(args.device)
"""
PLANTED: list[tuple[str, str]] = [
    (
        "TG610",  # the device is a flag, and so is the file that a run takes in place of training
        f"""{TRAINING}
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-device", help="cuda / cpu", default="cuda")
    parser.add_argument("-trained", default="")
    args = parser.parse_args()
    settings = {{"load_path": args.trained}}{BATCHES}
    if settings["load_path"]:
        path = settings["load_path"]
    else:
        path = "net.pt"
        fit(net, batches)
        torch.save(net.state_dict(), path)
    net.load_state_dict(torch.load(path, weights_only=True))  # <--
    print(evaluate(net, batches))

if __name__ == "__main__":
    main()
""",
    ),
    (
        "TG610",  # one function trains and another tests, with names that are changed on the way
        f"""{TRAINING}
def run(args):{BATCHES}
    fit(net, batches)

def check(args):{BATCHES}
    found = torch.load(args.model_path, weights_only=True)["net"]  # <--
    bare = {{}}
    for name, value in found.items():
        bare[name.replace("module.", "")] = value
    net.load_state_dict(bare)
    print(evaluate(net, batches))

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--eval", action="store_true")
    parser.add_argument("--model_path")
    args = parser.parse_args()
    args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if not args.eval:
        run(args)
    else:
        check(args)
""",
    ),
    (
        "TG610",  # a file to go on with, that is also what `--evaluate` takes
        f"""{TRAINING}
def main(args):{BATCHES}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    if args.resume:
        state = torch.load(args.resume, weights_only=True)  # <--
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
    if args.evaluate:
        print(evaluate(net, batches))
        return
    fit(net, batches)

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--evaluate", action="store_true")
    parser.add_argument("--resume")
    args = parser.parse_args()
    args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    main(args)
""",
    ),
]
CLEAN: dict[str, str] = {
    "weights to go on with, in a program that trains in any case": f"""{TRAINING}
def main(args):{BATCHES}
    if args.weights:
        net.load_state_dict(torch.load(args.weights, weights_only=True)["net"])
    print(evaluate(net, batches))
    fit(net, batches)

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights")
    args = parser.parse_args()
    args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    main(args)
""",
    "weights that a class loads where it is asked, and that nothing asks for": """
import torch

class Net(torch.nn.Module):
    def __init__(self, path="", pretrained=True):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        if pretrained:
            state = torch.load(path, weights_only=True)["net"]
            self.layer.load_state_dict(state)

    def forward(self, x):
        return self.layer(x)

def main(weights):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Net(pretrained=False).to(device)
    net.load_state_dict(torch.load(weights, map_location=device, weights_only=True))
    print(net(torch.ones(1, 4).to(device)))

if __name__ == "__main__":
    main("net.pt")
""",
    "a program that imports an extension for GPUs": """
import torch
import boxes_gpu_nms

def main(weights):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = torch.nn.Linear(4, 4)
    state = torch.load(weights, weights_only=True)["net"]
    net.load_state_dict(state)
    print(boxes_gpu_nms.nms(net.to(device)(torch.ones(1, 4).to(device))))

if __name__ == "__main__":
    main("net.pt")
""",
}
