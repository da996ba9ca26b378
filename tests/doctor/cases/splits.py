"""How data are split, and which part chooses: planted faults, and code that has none."""

TRAINING = """
    for epoch in range(args.epochs):
        for x, y in train_loader:
            optimizer.zero_grad()
            loss_of(model(x), y).backward()
            optimizer.step()
"""
STEP = """

def step(model, optimizer, loss_of, batch):
    optimizer.zero_grad()
    loss_of(model, batch).backward()
    optimizer.step()
"""
PLANTED: list[tuple[str, str]] = [
    (
        "TG506",  # a part of what the function returns for the test
        f"""
import torch


def main(model, optimizer, loss_of, run_test, train_loader, testloader, args):
    best = 0.0{TRAINING}
        scores = run_test(model, testloader)
        mean_accuracy = scores[0]
        if mean_accuracy > best:  # <--
            best = mean_accuracy
            torch.save(model.state_dict(), "best.pt")
""",
    ),
    (
        "TG506",  # a search for persons: the query and the gallery are those of the test
        f"""
import torch


def main(model, optimizer, loss_of, score, train_loader, query_loader, gallery_loader, args):
    max_rank = 0.0{TRAINING}
        rank = score(model, query_loader, gallery_loader)
        if max_rank < rank:  # <--
            max_rank = rank
            torch.save(model.state_dict(), "best.pt")
""",
    ),
    (
        "TG506",  # in the function that trains one epoch
        """
import torch


def one_epoch(model, optimizer, loss_of, loader, test_path, evaluate):
    global best
    for x, y in loader:
        optimizer.zero_grad()
        loss_of(model(x), y).backward()
        optimizer.step()
    mean_dice = evaluate(model, test_path)
    if mean_dice > best:  # <--
        best = mean_dice
        torch.save(model.state_dict(), "best.pt")
""",
    ),
    (
        "TG215",  # made by the same call
        """
import torch


class Run:
    def fit(self, stop_early):
        train_data, train_loader = self.load(part="TRAIN")
        val_data, val_loader = self.load(part="TEST")  # <--
        test_data, test_loader = self.load(part="TEST")
        best_loss = 9.0
        for epoch in range(9):
            self.run_epoch(train_loader)
            loss = self.score(val_loader)
            if loss < best_loss:
                best_loss = loss
                torch.save(self.model.state_dict(), "best.pt")
            print(loss, self.score(test_loader))
""",
    ),
    (
        "TG215",  # the name of one split stands for that of the other
        """
import torch
from torch.utils.data import Dataset


class Clips(Dataset):
    def __init__(self, root, split):
        if split == "val":
            split = "test"  # <--
        with open(root / f"{split}.txt") as file:
            self.names = file.readlines()


def fit(model, score_of, run_epoch, load):
    best_score = 0.0
    for epoch in range(9):
        run_epoch(model)
        score = score_of(model, load(Clips(".", "val")))
        if score > best_score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
""",
    ),
    (
        "TG214",  # the end of what is trained on as a whole
        """
class Windows:
    def __init__(self, series, mode):
        self.mode = mode
        self.train = series
        self.val = self.train[int(len(series) * 0.8):]  # <--

    def __getitem__(self, index):
        if self.mode == "train":
            return self.train[index : index + 9]
        return self.val[index : index + 9]
""",
    ),
    (
        "TG214",  # the list is read before, and cut again afterwards
        """
def parts(read):
    items = read()
    count = len(items)
    train = items[0 : int(0.8 * count)]
    validate = items[0 : int(0.2 * count)]  # <--
    items = items[int(0.8 * count) :]
    return train, validate, items
""",
    ),
    (
        "TG106",  # into a set for training and one for development
        """
import random


def parts(lines, model, loss_of):
    random.shuffle(lines)  # <--
    cut = -int(0.1 * len(lines))
    train_lines = lines[:cut]
    dev_lines = lines[cut:]
    loss_of(model, train_lines).backward()
    return dev_lines
""",
    ),
    (
        "TG216",  # by a function that takes the mean of what it is given
        f"""
def normalize(series):
    mean, std = series.mean(axis=0), series.std(axis=0)
    return (series - mean) / std, (mean, std)


def parts(series, hours):
    series, scaler = normalize(series)  # <--
    train_part = series[:-hours]
    test_part = series[-hours:]
    return train_part, test_part, scaler
{STEP}""",
    ),
    (
        "TG216",  # the columns of a table
        f"""
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler


def parts(table, target, columns):
    scaler = MinMaxScaler()
    table[columns] = scaler.fit_transform(table[columns])  # <--
    table = table[columns]
    return train_test_split(table, target, random_state=1)
{STEP}""",
    ),
]

CLEAN: dict[str, str] = {
    "the labels are counted before the split": f"""
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder


def parts(table, target):
    target = LabelEncoder().fit_transform(target)
    return train_test_split(target, table, random_state=1)
{STEP}""",
    "scaled by the first part": f"""
from sklearn.preprocessing import StandardScaler


def parts(series, hours):
    scaled = StandardScaler().fit_transform(series[:-hours])
    train_part = scaled[: hours * 9]
    test_part = scaled[hours * 9 :]
    return train_part, test_part
{STEP}""",
    "each sample is scaled by itself": f"""
def normalize(samples):
    return samples / samples.max()


def parts(samples, count):
    samples = [normalize(one) for one in samples]
    train_part = samples[:count]
    test_part = samples[count:]
    return train_part, test_part
{STEP}""",
    "a query for validation": f"""
import torch


def main(model, optimizer, loss_of, score, train_loader, val_query_loader, args):
    best_rank = 0.0{TRAINING}
        rank = score(model, val_query_loader)
        if rank > best_rank:
            best_rank = rank
            torch.save(model.state_dict(), "best.pt")
""",
    "the split is renamed for its transform": """
import torch


def fit(model, score_of, run_epoch, load, transforms):
    best_score, split = 0.0, "val"
    kind = split
    if split == "val":
        kind = "plain"
    for epoch in range(9):
        run_epoch(model)
        score = score_of(model, load(split, transforms[kind]))
        if score > best_score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
""",
    "what is trained on is cut as well": """
class Windows:
    def __init__(self, series, mode):
        self.mode = mode
        self.train = series
        self.val = self.train[int(len(series) * 0.8):]
        self.train = self.train[: int(len(series) * 0.8)]

    def __getitem__(self, index):
        if self.mode == "train":
            return self.train[index : index + 9]
        return self.val[index : index + 9]
""",
    "the list is another one at the second cut": """
def parts(read):
    items = read("train")
    train = items[: int(0.8 * len(items))]
    items = read("rest")
    validate = items[: int(0.8 * len(items))]
    return train, validate
""",
}
