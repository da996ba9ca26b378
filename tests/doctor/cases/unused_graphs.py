"""Passes whose graph nothing uses, evaluations in a program without modes, scores of batches."""

FEATURES = """
import torch


class Tester:
    def __init__(self, model, query_loader):
        self.model = model
        self.query_loader = query_loader

    def test(self):
        self.model.eval()
        return self.features(self.query_loader)

    def features(self, loader):
        found = torch.zeros(0, 128)
        for images, labels in loader:
            total = torch.zeros(len(images), 128)
            for turn in range(2):
                images = images.flip(3) if turn else images
                outputs = self.model(images){mark}
                total = total + {kept}
            found = torch.cat((found, total), 0)
        return found
"""
RATED = """
import torch
from torch import nn


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.table = nn.Parameter(torch.zeros(100, 8))

    def embedded(self):
        return self.layer(self.table).split(50)

    def rating(self, users, items):
        return users @ items.t()


def rank(model, test_users, batch_size):
    users, items = model.embedded(){mark}
    ranks = []
    for start in range(0, len(test_users), batch_size):
        batch = test_users[start : start + batch_size]
        rates = model.rating(users[batch], items).detach().cpu()
        {then}
    return ranks


def main(users):
    model = Graph()
    print(rank(model, users, 16))
"""
STARRED = """
import torch


def train(loader, model, criterion, optimizer):
    model.train()
    for inputs, labels in loader:
        optimizer.zero_grad()
        criterion(model(*inputs), labels).backward()
        optimizer.step()


def validate(loader, model, criterion, cuda):
    model.eval()
    total = 0.0
    for inputs, labels in loader:
        if cuda:
            with torch.no_grad():
                given = [one.cuda() for one in inputs]
        else:
            with torch.no_grad():
                given = inputs
        {start}
        total += criterion(scores, labels).item()
    return total / len(loader)


def run(loaders, model, criterion, optimizer):
    train(loaders[0], model, criterion, optimizer)
    print(validate(loaders[1], model, criterion, True))
"""
STEPS = """
import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.{layer}

    def forward(self, x):
        return self.layer(x)


class Loop:
    def __init__(self, *, model, diffusion, data, eval_data, optimizer):
        self.model, self.optimizer = model, optimizer
        self.ddp_model = nn.parallel.DistributedDataParallel(self.model)
        self.diffusion = diffusion
        self.data, self.eval_data = data, eval_data

    def run(self):
        for step in range(1000):
            self.optimizer.zero_grad()
            self.diffusion.losses(self.ddp_model, next(self.data)).backward()
            self.optimizer.step()
            if step % 100 == 0:
                {before}
                self.forward_only({given})

    def forward_only(self, batch):
        with torch.no_grad():
            print(self.diffusion.losses(self.ddp_model, batch)){mark}


def main(diffusion, data, eval_data):
    model = Denoiser()
    optimizer = torch.optim.Adam(model.parameters())
    parts = {{"data": data, "eval_data": eval_data, "optimizer": optimizer}}
    Loop(model=model, diffusion=diffusion, **parts).run()
"""
SCORED = """
import torch
from sklearn import metrics


def measured(scores, labels):
    found = scores.argmax(1)
    precision, recall, _, _ = metrics.precision_recall_fscore_support(labels, found)
    area = metrics.roc_auc_score(labels, scores[:, 1])
    return metrics.accuracy_score(labels, found), precision, area


def validate(val_loader, model, meter):
    model.eval()
    for inputs, labels in val_loader:
        with torch.no_grad():
            scores = model(inputs)
        accuracy, precision, area = measured(scores.cpu(), labels)
        meter.update({value}, len(labels)){mark}
    return meter.avg
"""
PARTS = """
import torch


def run_epoch(model, loader, criterion, optimizer, {parameter}):
    total = 0.0
    model.train({asked})
    for inputs, labels in loader:{mark}
        loss = criterion(model(inputs), labels)
        if {asked}:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item() * len(labels)
    return total / len(loader.dataset)


def fit(model, loaders, criterion, optimizer):
    for epoch in range(10):
        run_epoch(model, loaders[0], criterion, optimizer, {first})
        print(run_epoch(model, loaders[1], criterion, optimizer, {second}))
"""
COUNTED = """
import torch


def rate(model, test_set, measure):
    model.eval()
    total = 0.0
    for {counted}:{mark}
        image, target = {taken}
        scores = model(image)
        total += measure(scores, target).item()
    return total / len(test_set)


def main(model, test_set, measure):
    print(rate(model, test_set, measure))
"""
DEV = """
import torch


def fit(net, train_loader, dev_loader, criterion, optimizer):
    for epoch in range(10):
        net.train()
        for inputs, labels in train_loader:
            optimizer.zero_grad()
            criterion(net(inputs), labels).backward()
            optimizer.step()
        total = 0.0
        for inputs, labels in {source}:{mark}
            net.eval()
            total += criterion(net(inputs), labels).item() * len(labels)
        print(total / len(dev_loader.dataset))
"""
SHOWN, HIDDEN = "  # <--", ""
MODAL, PLAIN = "dropout = nn.Dropout(0.1)", "norm = nn.LayerNorm(8)"
NO_MODE, HELD_OUT = "print(step)", "next(self.eval_data)"

PLANTED: list[tuple[str, str]] = [
    ("TG502", FEATURES.format(kept="outputs[0].data.cpu()", mark=SHOWN)),
    ("TG502", RATED.format(then="ranks += rates.tolist()", mark=SHOWN)),
    ("TG502", STARRED.format(start="scores = model(*given)  # <--")),
    (
        "TG502",
        PARTS.format(
            parameter='part="train"',
            asked='part == "train"',
            first='part="train"',
            second='part="dev"',
            mark=SHOWN,
        ),
    ),
    (
        "TG502",
        PARTS.format(
            parameter="backprop=False", asked="backprop", first="True", second="", mark=SHOWN
        ),
    ),
    (
        "TG502",
        COUNTED.format(counted="k in range(len(test_set))", taken="test_set[k]", mark=SHOWN),
    ),
    (
        "TG502",
        COUNTED.format(counted="_ in range(test_set.size)", taken="test_set.load()", mark=SHOWN),
    ),
    ("TG502", DEV.format(source="dev_loader", mark=SHOWN)),
    ("TG501", STEPS.format(layer=MODAL, before=NO_MODE, given=HELD_OUT, mark=SHOWN)),
    ("TG508", SCORED.format(value="area", mark=SHOWN)),
    ("TG508", SCORED.format(value="precision.mean()", mark=SHOWN)),
]
CLEAN: dict[str, str] = {
    "a result that would fail with a graph": FEATURES.format(
        kept="torch.from_numpy(outputs[0].cpu().numpy())", mark=HIDDEN
    ),
    "a network that has no gradients": FEATURES.format(kept="outputs[0].data", mark=HIDDEN).replace(
        "self.model.eval()", "self.model.eval().requires_grad_(False)"
    ),
    "an evaluation that is called without gradients": RATED.format(
        then="ranks += rates.tolist()", mark=HIDDEN
    ).replace("    print(rank", "    with torch.no_grad():\n        print(rank"),
    "a result that others get with its graph": RATED.format(
        then="ranks.append(users)", mark=HIDDEN
    ),
    "a pass after the inputs, without gradients as well": STARRED.format(
        start="with torch.no_grad():\n            scores = model(*given)"
    ),
    "a validation without modes of a network that has none": STEPS.format(
        layer=PLAIN, before=NO_MODE, given=HELD_OUT, mark=HIDDEN
    ),
    "a validation in the mode for it": STEPS.format(
        layer=MODAL, before="self.model.eval()", given=HELD_OUT, mark=HIDDEN
    ).replace("self.optimizer.zero_grad()", "self.model.train().zero_grad()"),
    "a look at the loss of training": STEPS.format(
        layer=MODAL, before=NO_MODE, given="next(self.data)", mark=HIDDEN
    ),
    "a function that trains whenever it is called": PARTS.format(
        parameter='part="train"',
        asked='part == "train"',
        first='part="train"',
        second="part=loaders[2]",
        mark=HIDDEN,
    ),
    "a part without gradients": PARTS.format(
        parameter='part="train"',
        asked='part == "train"',
        first='part="train"',
        second='part="dev"',
        mark=HIDDEN,
    ).replace("    total = 0.0", "    total = 0.0\n    torch.set_grad_enabled(part == 'train')"),
    "a share of each batch beside scores": SCORED.format(value="accuracy", mark=HIDDEN),
}
