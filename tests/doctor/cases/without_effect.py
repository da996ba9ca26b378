"""Calls and settings that do nothing: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (  # by methods, and by functions of a module with another name
        "TG336",
        """
import torch
import torch.nn.functional as nnf

class Memory(torch.nn.Module):
    def write(self, keys, mask):
        nnf.normalize(keys, dim=1)  # <--
        keys.masked_fill(mask, 0)  # <--
        self.table.detach()  # <--
        self.table = self.table + keys.mean(0)

def evaluate(model, loader, device, score):
    weights = torch.tensor([1.0, 4.0])
    weights.to(device)  # <--
    for i, (images, labels) in enumerate(loader):
        images.cuda()  # <--
        score(model(images), labels, weights)
""",
    ),
]
CLEAN: dict[str, str] = {
    "calls whose result is thrown away, and that do something": """
import time
import torch
import torch.nn.functional as F

def start(net, criterion, device, loader, x, out, stream):
    net.to(device)
    criterion.cuda()
    F.relu(x, inplace=True)
    torch.clamp(x, 0, 1, out=out)
    x.clamp_(0, 1)
    stream.view()
    torch.zeros(1).cuda()
    for graph in loader:
        graph.to(device)
    try:
        x.view(4, 4)
    except RuntimeError:
        return False
    return True

def speed(x):
    start = time.time()
    for _ in range(100):
        torch.cat([x, x])
    return time.time() - start
""",
}
