"""What is chosen by a score, and what a score is a mean of, in more shapes."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG506",  # class trainer self.best
        """
import torch
class Trainer:
    def fit(self):
        for epoch in range(self.epochs):
            for x, y in self.train_loader:
                self.optimizer.zero_grad()
                self.criterion(self.model(x), y).backward()
                self.optimizer.step()
            acc = self.evaluate(self.test_loader)
            if acc > self.best_acc:  # <--
                self.best_acc = acc
                self.save('best.pth')
    def save(self, path):
        torch.save(self.model.state_dict(), path)
""",
    ),
    (
        "TG504",  # divided by dataset real
        """
import torch
import torch.nn as nn
from torch.utils.data import DataLoader
def main(model, data, args):
    criterion = nn.CrossEntropyLoss()
    train_loader = DataLoader(data, batch_size=32, shuffle=True)
    val_loader = DataLoader(data, batch_size=32)
    opt = torch.optim.Adam(model.parameters())
    best = 1e9
    for epoch in range(9):
        model.train()
        for x, y in train_loader:
            opt.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            opt.step()
        model.eval()
        val_loss = 0
        with torch.no_grad():
            for x, y in val_loader:
                output = model(x)
                val_loss += criterion(output, y).item()  # <--
        val_loss /= len(val_loader.dataset)
        if val_loss < best:
            best = val_loss
            torch.save(model.state_dict(), 'b.pt')
""",
    ),
    (
        "TG506",  # dictionary of loaders
        """
import torch
def main(model, train, evaluate, loaders, args):
    best = 0
    for epoch in range(args.epochs):
        train(model, loaders['train']).backward()
        acc = evaluate(model, loaders['test'])
        if acc > best:  # <--
            best = acc
            torch.save(model.state_dict(), 'best.pt')
""",
    ),
    (
        "TG510",  # shared transform via random_split
        """
import torch
from torchvision import transforms
from torchvision.datasets import ImageFolder
from torch.utils.data import DataLoader, random_split
def main(model, train_epoch, score, epochs):
    transform = transforms.Compose([transforms.RandomRotation(10), transforms.ToTensor()])
    dataset = ImageFolder('x', transform=transform)
    train_dataset, val_dataset = random_split(dataset, [90, 10])  # <--
    train_loader, val_loader = DataLoader(train_dataset, shuffle=True), DataLoader(val_dataset)
    best = 0
    for epoch in range(epochs):
        train_epoch(model, train_loader)
        s = score(model, val_loader)
        if s > best:
            best = s
            torch.save(model.state_dict(), 'b.pt')
""",
    ),
]

CLEAN: dict[str, str] = {
    "no TG506: rl test environment": """
import torch
import gym
def run(agent, env, test_env, steps):
    best_test_reward = -1e9
    for step in range(steps):
        agent.update(env).backward()
        if step % 100 == 0:
            test_reward = agent.evaluate(test_env)
            if test_reward > best_test_reward:
                best_test_reward = test_reward
                torch.save(agent.state_dict(), 'best.pt')
""",
    "no TG504: multiplied by batch beforehand": """
import torch
@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    total_loss = 0.
    for x, y in val_loader:
        loss = criterion(model(x), y)
        loss = loss * x.size(0)
        total_loss += loss.item()
    return total_loss / len(val_loader.dataset)
def main(model, criterion, train, val_loader):
    best = 1e9
    for epoch in range(9):
        train(model).backward()
        loss = validate(model, val_loader, criterion)
        if loss < best:
            best = loss
            torch.save(model.state_dict(), 'b.pt')
""",
    "no TG504: accuracy batch size one chooses": """
import torch
import numpy as np
from torch.utils.data import DataLoader
@torch.no_grad()
def validate(model, val_loader):
    model.eval()
    accs = []
    for x, y in val_loader:
        correct = (model(x).argmax(1) == y).sum().item()
        accs.append(correct / len(y))
    return np.mean(accs)
def main(model, data, train_epoch):
    loader = DataLoader(data, batch_size=1)
    best = 0
    for epoch in range(9):
        train_epoch(model)
        acc = validate(model, loader)
        if acc > best:
            best = acc
            torch.save(model.state_dict(), 'b.pt')
""",
    "no TG506: method test loops over val loader": """
import torch
class Trainer:
    def test(self):
        self.model.eval()
        n = 0
        with torch.no_grad():
            for x, y in self.val_loader:
                n += (self.model(x).argmax(1) == y).sum().item()
        return n
    def fit(self):
        best_acc = 0
        for epoch in range(self.epochs):
            self.model.train()
            for x, y in self.train_loader:
                self.optimizer.zero_grad()
                loss = self.criterion(self.model(x), y)
                loss.backward()
                self.optimizer.step()
            test_acc = self.test()
            if test_acc > best_acc:
                best_acc = test_acc
                torch.save(self.model.state_dict(), 'best.pt')
""",
    "no TG509: best kept as deepcopy": """
import copy, torch
def fit(model, epochs, run_epoch, evaluate, val_loader, test_loader, path):
    best = 0.0
    best_model = None
    for epoch in range(epochs):
        run_epoch(model).backward()
        score = evaluate(model, val_loader)
        if score > best:
            best = score
            best_model = copy.deepcopy(model)
            torch.save(model.state_dict(), path)
    model = best_model
    print("test:", evaluate(model, test_loader))
""",
    "no TG509: last and best both tested": """
import torch
def fit(model, epochs, run_epoch, evaluate, val_loader, test_loader, path):
    best = 0.0
    for epoch in range(epochs):
        run_epoch(model).backward()
        score = evaluate(model, val_loader)
        if score > best:
            best = score
            torch.save(model.state_dict(), path)
    print("last:", evaluate(model, test_loader))
    model.load_state_dict(torch.load(path, weights_only=True))
    print("best:", evaluate(model, test_loader))
""",
}
