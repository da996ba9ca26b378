"""Checkpoints that bring a run back, and those that do not: planted faults, and clean code."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG604",
        """
import torch

def fit(args, net, loader, loss_of):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    first = torch.load(args.last, weights_only=True)["epoch"] if args.last else 0
    for epoch in range(first, args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        rate = get_rate(optimizer)
        torch.save({"net": net.state_dict(), "epoch": epoch + 1, "rate": rate}, args.last)  # <--
""",
    ),
]

CLEAN: dict[str, str] = {
    "a number of epochs that nothing reads, in a program that begins anew each time": """
import torch

def fit(args, net, loader, loss_of):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    if args.weights:
        net.load_state_dict(torch.load(args.weights, weights_only=True)["net"])
    for epoch in range(args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        torch.save({"net": net.state_dict(), "epoch": epoch}, f"{args.folder}/{epoch}.pt")
""",
    "a resume that the file switches off": """
import torch

resume = None
net = torch.nn.Linear(8, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
start = 0
if resume is not None:
    state = torch.load(resume, map_location="cpu", weights_only=True)
    net.load_state_dict(state["net"])
    optimizer.load_state_dict(state["optimizer"])
    start = state["epoch"] + 1
for epoch in range(start, 90):
    optimizer.step()
    scheduler.step()
    moments = optimizer.state_dict()
    state = {"net": net.state_dict(), "optimizer": moments, "epoch": epoch}
    torch.save(state, f"{epoch}.pt")
""",
}
