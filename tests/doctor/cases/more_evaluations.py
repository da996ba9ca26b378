"""Evaluations with and without gradients, in more shapes."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG502",  # train flag function
        """
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

def run_epoch(model, loader, optimizer=None):
    train = optimizer is not None
    model.train() if train else model.eval()
    total = 0.0
    for x, y in loader:  # <--
        loss = nn.functional.cross_entropy(model(x), y)
        if train:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total

def main():
    model = nn.Linear(3, 3)
    opt = torch.optim.Adam(model.parameters())
    train_loader, val_loader = DataLoader([1]), DataLoader([2])
    for epoch in range(9):
        run_epoch(model, train_loader, opt)
        run_epoch(model, val_loader)
main()
""",
    ),
    (
        "TG502",  # val in the phase loop
        """
import torch
import torch.nn as nn
def main(model, loaders, optimizer, criterion):
    for epoch in range(9):
        for phase in ['train', 'val']:
            if phase == 'train':
                model.train()
            else:
                model.eval()
            for inputs, labels in loaders[phase]:  # <--
                optimizer.zero_grad()
                loss = criterion(model(inputs), labels)
                if phase == 'train':
                    loss.backward()
                    optimizer.step()
""",
    ),
    (
        "TG502",  # loaders val
        """
import torch
import torch.nn as nn
def train(model, dataloaders, optimizer, criterion):
    for epoch in range(9):
        model.train()
        for inputs, labels in dataloaders['train']:
            optimizer.zero_grad()
            loss = criterion(model(inputs), labels)
            loss.backward()
            optimizer.step()
        model.eval()
        for inputs, labels in dataloaders['val']:  # <--
            print((model(inputs).argmax(1) == labels).sum().item())
""",
    ),
]

CLEAN: dict[str, str] = {
    "no TG502: adversarial evaluation needs gradients": """
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

def pgd(model, x, y, eps=8/255, steps=10):
    delta = torch.zeros_like(x, requires_grad=True)
    for _ in range(steps):
        loss = F.cross_entropy(model(x + delta), y)
        grad = torch.autograd.grad(loss, [delta])[0]
        delta = (delta + 0.01 * grad.sign()).detach().requires_grad_()
    return (x + delta).detach()

def eval_adv(model, test_loader):
    model.eval()
    correct = 0
    for x, y in test_loader:
        adv = pgd(model, x, y)
        correct += (model(adv).argmax(1) == y).sum().item()
    return correct

def main():
    model = nn.Sequential(nn.Linear(3, 3))
    test_loader = DataLoader([1])
    print(eval_adv(model, test_loader))
main()
""",
    "no TG502: test time adaptation with backward in model": """
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

class Tent(nn.Module):
    def __init__(self, model, optimizer):
        super().__init__()
        self.model = model
        self.optimizer = optimizer
    def forward(self, x):
        out = self.model(x)
        loss = -(out.softmax(1) * out.log_softmax(1)).sum(1).mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return out

def test(model, test_loader):
    correct = 0
    for x, y in test_loader:
        correct += (model(x).argmax(1) == y).sum().item()
    return correct

def main():
    net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    model = Tent(net, torch.optim.SGD(net.parameters(), 0.1))
    print(test(model, DataLoader([1])))
main()
""",
    "no TG502: parameters frozen": """
import torch
import torch.nn as nn
from torch.utils.data import DataLoader
from torchvision.models import resnet18

def load():
    model = resnet18()
    for p in model.parameters():
        p.requires_grad_(False)
    return model

def validate(model, val_loader):
    model.eval()
    n = 0
    for x, y in val_loader:
        n += (model(x).argmax(1) == y).sum().item()
    return n

if __name__ == '__main__':
    print(validate(load(), DataLoader([1])))
""",
    "no TG502: gradient penalty,energy force evaluation": """
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

class Potential(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 1))
    def forward(self, pos):
        pos.requires_grad_()
        energy = self.net(pos).sum()
        force = -torch.autograd.grad(energy, pos, create_graph=self.training)[0]
        return energy, force

def evaluate(model, val_loader):
    model.eval()
    err = 0.0
    for pos, f in val_loader:
        e, force = model(pos)
        err += (force - f).abs().mean().item()
    return err / len(val_loader)

def main():
    print(evaluate(Potential(), DataLoader([1])))
main()
""",
}
