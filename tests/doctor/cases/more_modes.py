"""In which mode a model is evaluated, and trained after that, in more shapes."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG503",  # eval in batch loop with train per epoch
        """
import torch
import torch.nn as nn
def evaluate(model, val_loader):
    model.eval()
    with torch.no_grad():
        for x, y in val_loader:
            print(model(x).argmax(1) == y)
def main(train_loader, val_loader):
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    opt = torch.optim.Adam(model.parameters())
    for epoch in range(9):
        model.train()
        for k, (x, y) in enumerate(train_loader):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            opt.step()
            if k % 100 == 0:
                evaluate(model, val_loader)  # <--
if __name__ == '__main__':
    main([], [])
""",
    ),
]

CLEAN: dict[str, str] = {
    "no TG501: MC dropout": """
import torch
import torch.nn as nn
from torch.utils.data import DataLoader
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.drop = nn.Linear(3, 3), nn.Dropout()
    def forward(self, x):
        return self.drop(self.fc(x))
@torch.no_grad()
def mc_dropout_eval(model, test_loader, samples=20):
    model.train()
    for x, y in test_loader:
        out = torch.stack([model(x) for _ in range(samples)]).mean(0)
        print(out.argmax(1) == y)
def main():
    mc_dropout_eval(Net(), DataLoader([1]))
main()
""",
    "no TG501: wrapper set_mode('eval')": """
import torch
import torch.nn as nn
from torch.utils.data import DataLoader
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.drop = nn.Linear(3, 3), nn.Dropout()
    def forward(self, x):
        return self.drop(self.fc(x))
class Agent:
    def __init__(self):
        self.net = Net()
    def set_mode(self, mode):
        getattr(self.net, mode)()
    @torch.no_grad()
    def evaluate(self, val_loader):
        self.set_mode('eval')
        for x, y in val_loader:
            print(self.net(x).argmax(1) == y)
Agent().evaluate(DataLoader([1]))
""",
    "no TG501: decorator switches": """
import functools
import torch
import torch.nn as nn
from torch.utils.data import DataLoader
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.drop = nn.Linear(3, 3), nn.Dropout()
    def forward(self, x):
        return self.drop(self.fc(x))
def eval_decorator(fn):
    @functools.wraps(fn)
    def inner(model, *args, **kwargs):
        was_training = model.training
        model.eval()
        out = fn(model, *args, **kwargs)
        model.train(was_training)
        return out
    return inner
@eval_decorator
@torch.no_grad()
def evaluate(model, val_loader):
    for x, y in val_loader:
        print(model(x).argmax(1) == y)
def main():
    evaluate(Net(), DataLoader([1]))
main()
""",
    "no TG503: frozen bn finetune eval on purpose": """
import torch
import torch.nn as nn
def main(train_loader, val_loader, opt):
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    for epoch in range(9):
        model.eval()  # keep batch norm frozen
        for x, y in train_loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            opt.step()
        with torch.no_grad():
            for x, y in val_loader:
                print(model(x).argmax(1) == y)
""",
    "no TG503: fresh model each fold": """
import torch
import torch.nn as nn
def main(folds, make):
    for train_loader, val_loader in folds:
        model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
        opt = torch.optim.Adam(model.parameters())
        for x, y in train_loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            for x, y in val_loader:
                print(model(x).argmax(1) == y)
""",
    "no TG503: evaluate on copy": """
import copy
import torch
import torch.nn as nn
def evaluate(model, val_loader):
    model = copy.deepcopy(model)
    model.eval()
    with torch.no_grad():
        for x, y in val_loader:
            print(model(x).argmax(1) == y)
def main(train_loader, val_loader, opt):
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    for epoch in range(9):
        for x, y in train_loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            opt.step()
        evaluate(model, val_loader)
""",
    "no TG503: eval only after the last epoch then break": """
import torch
import torch.nn as nn
def main(train_loader, val_loader, opt):
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    for epoch in range(9):
        for x, y in train_loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            opt.step()
        if epoch == 8:
            model.eval()
            torch.save(model.state_dict(), 'm.pt')
""",
    "no TG503: last batch evaluated": """
import torch
import torch.nn as nn
def main(train_loader, val_loader):
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    opt = torch.optim.Adam(model.parameters())
    for epoch in range(9):
        model.train()
        for k, (x, y) in enumerate(train_loader):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            opt.step()
            if (k + 1) == len(train_loader):
                model.eval()
                with torch.no_grad():
                    for a, b in val_loader:
                        print(model(a))
""",
    "no TG501: eval set in ctor of evaluator": """
import torch
from torchvision.models import resnet18
from torch.utils.data import DataLoader
class Evaluator:
    def __init__(self, model, val_loader):
        self.model = model.eval()
        self.val_loader = val_loader
    @torch.no_grad()
    def evaluate(self):
        for x, y in self.val_loader:
            print(self.model(x).argmax(1))
Evaluator(resnet18(), DataLoader([1])).evaluate()
""",
}
