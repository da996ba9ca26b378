"""Tensors that NumPy gets in programs that run with a GPU and without: faults, and none."""

HEAD = """
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
PLANTED: list[tuple[str, str]] = [
    (
        "TG346",  # a copy of what was moved
        f"""{HEAD}
def flipped(model, loader):
    for images, names in loader:
        images = images.to(device)
        mirrored = np.flip(images.clone().numpy(), 3)  # <--
        yield names, model(torch.from_numpy(mirrored.copy()).to(device)).cpu()
""",
    ),
    (
        "TG346",  # a list of scores that a function computes
        f"""{HEAD}
def score(found, wanted):
    same = found.argmax(1) == wanted
    return same.float().mean(), found.size(0)

@torch.no_grad()
def evaluate(model, loader):
    scores = []
    for images, labels in loader:
        labels = labels.to(device)
        result, count = score(model(images.to(device)), labels)
        scores.append(result)
    return np.mean(scores)  # <--
""",
    ),
    (
        "TG346",  # moved under a condition
        """
import numpy as np
import torch

def collect(model, loader, use_cuda):
    for images in loader:
        if use_cuda:
            images = images.cuda()
        print(np.asarray(images))  # <--
        print(model(images).mean().item())
""",
    ),
]
CLEAN: dict[str, str] = {
    "tensors that are moved to the CPU before NumPy gets them": f"""{HEAD}
@torch.no_grad()
def evaluate(model, loader):
    scores = []
    for images, labels in loader:
        images = images.to(device)
        found = model(images)
        found = found.detach().cpu()
        scores.append((found.argmax(1) == labels).float().mean())
        print(found.numpy(), images.cpu().numpy())
    return np.mean(scores)
""",
    "numbers, and tensors of a loader that are not moved": f"""{HEAD}
@torch.no_grad()
def evaluate(model, loader):
    losses, sizes = [], []
    for images, labels in loader:
        loss = model(images.to(device)).mean()
        losses.append(loss.item())
        sizes.append(images.size(0))
        print(labels.numpy(), images.numpy())
    return np.mean(losses), np.mean(sizes)
""",
    "a condition that asks where the tensor is": f"""{HEAD}
def shown(model, images):
    images = images.to(device)
    return model(images).cpu().numpy() if images.is_cuda else images.numpy()
""",
    "the variable of a comprehension, and of another loop": f"""{HEAD}
def shown(model, batches, others):
    for one in batches:
        one = one.to(device)
        print(model(one).mean().item())
    for one in others:
        print(one.numpy())
    return [one.numpy() for one in others]
""",
}
