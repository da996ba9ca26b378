"""Draws of data workers, and seeds: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (  # a dataset from a table, made in a loop and given to another function
        "TG101",
        """
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Sky(Dataset):
    def __getitem__(self, index):
        return self.images[index]


class Sea(Dataset):
    def __getitem__(self, index):
        return self.images[index] * np.random.uniform(0.5, 1.5)


KINDS = {"sky": Sky, "sea": Sea}


def build(names, root):
    found = []
    for name in names:
        kind = KINDS[name]
        found.append(kind(root))
    return found


def loaders(names, root, workers):
    for dataset in build(names, root):
        yield wrap(dataset, workers)


def wrap(images, workers):
    return DataLoader(images, batch_size=8, num_workers=workers)  # <--
""",
    ),
    (  # a transform of the project's, within another that a function builds
        "TG101",
        """
import numpy as np
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


class Haze:
    def __call__(self, image):
        return image + np.random.normal()


class Twice:
    def __init__(self, transform):
        self.transform = transform

    def __call__(self, image):
        return self.transform(image), self.transform(image)


def views(size):
    steps = [transforms.Resize(size)]
    steps.append(Haze())
    return transforms.Compose(steps)


class Trainer:
    def fit(self, train_set):
        return DataLoader(train_set, batch_size=8, num_workers=4)  # <--


Trainer().fit(datasets.CIFAR10("data", transform=Twice(views(32))))
""",
    ),
    (  # a helper of the dataset's file, called by what applies the augmentation
        "TG101",
        """
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Jitter:
    def __call__(self, image):
        return image * np.random.rand()


class Pages(Dataset):
    def __init__(self, preproc):
        self.preproc = preproc

    def __getitem__(self, index):
        return self.preproc(self.pages[index])


train_loader = DataLoader(Pages(preproc=Jitter()), batch_size=8, num_workers=2)  # <--
""",
    ),
    (
        "TG103",
        """
import numpy as np
import torch
from torch.utils.data import Dataset


class Pairs(Dataset):
    def __init__(self, pairs):
        self.pairs, self.ready = pairs, False

    def __getitem__(self, index):
        if not self.ready:
            worker = torch.utils.data.get_worker_info()
            if worker is not None:
                np.random.seed(worker.id)  # <--
                self.ready = True
        return self.pairs[index] + np.random.rand()
""",
    ),
    (
        "TG106",
        """
import random

from torch.utils.data import DataLoader


def main(model, optimizer, samples):
    random.shuffle(samples)  # <--
    count = int(0.8 * len(samples))
    train_samples, val_samples = samples[:count], samples[count:]
    for batch in DataLoader(train_samples, batch_size=8, shuffle=True):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
    return val_samples
""",
    ),
    (  # torch is seeded, and numpy is not
        "TG106",
        """
import numpy as np
import torch
from sklearn.model_selection import train_test_split


def main(model, optimizer, samples, args):
    torch.manual_seed(args.seed)
    order = np.random.permutation(len(samples))  # <--
    test_order = order[:100]
    order = order[100:]
    kept, val_order = train_test_split(order, test_size=0.1)  # <--
    for index in kept:
        optimizer.zero_grad()
        model(samples[index]).mean().backward()
        optimizer.step()
    return val_order, test_order
""",
    ),
    (
        "TG107",
        """
import h5py
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    def __init__(self, path):
        file = h5py.File(path, "r")  # <--
        self.inputs = file.get("inputs")
        self.targets = file["targets"]

    def __getitem__(self, index):
        return self.inputs[index], self.targets[index]


def load(path, workers):
    return DataLoader(Patches(path), batch_size=8, num_workers=workers)
""",
    ),
    (
        "TG110",
        """
import torch
from torch.backends import cudnn


def main(args):
    if args.seed is not None:
        torch.manual_seed(args.seed)
        cudnn.deterministic = True
    if torch.cuda.is_available():
        cudnn.benchmark = True  # <--
""",
    ),
    (  # from the function that seeds to the one that it spawns
        "TG110",
        """
import torch
import torch.multiprocessing as mp


def main(args):
    if args.seed is not None:
        torch.backends.cudnn.deterministic = True
    mp.spawn(work, nprocs=args.gpus, args=(args,))


def work(rank, args):
    torch.manual_seed(args.seed + rank)
    torch.backends.cudnn.benchmark = True  # <--
""",
    ),
    (  # a dataset that is made by chance, in the process that trains
        "TG112",
        """
import random

import torch
from torch.utils.data import DataLoader, Dataset


class Triplets(Dataset):
    def __init__(self, names):
        self.names = names
        self.others = self.choose(names)

    def choose(self, names):
        return random.sample(names, len(names))  # <--

    def __getitem__(self, index):
        return self.names[index], self.others[index]


def main(names, seed):
    torch.manual_seed(seed)
    return DataLoader(Triplets(names), batch_size=8, shuffle=True, num_workers=4)
""",
    ),
    (  # samples, where there are no workers
        "TG112",
        """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Clouds(Dataset):
    def __getitem__(self, index):
        return moved(self.points[index])


def moved(points):
    return points + np.random.uniform(-0.2, 0.2, size=3)  # <--


def main(seed):
    torch.manual_seed(seed)
    return DataLoader(Clouds(), batch_size=8, shuffle=True)
""",
    ),
    (  # with one process the sampler is made, and no epoch is told to it
        "TG202",
        """
from torch.utils.data import DataLoader, DistributedSampler


def main(args, dataset, step):
    sampler = DistributedSampler(dataset, num_replicas=args.count, rank=args.rank)  # <--
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(args.epochs):
        if args.distributed:
            loader.sampler.set_epoch(epoch)
        for batch in loader:
            step(batch)
""",
    ),
    (  # a loader that never ends
        "TG202",
        """
from torch.utils.data import DataLoader, RandomSampler
from torch.utils.data.distributed import DistributedSampler


def sampler_of(dataset, shuffle, distributed):
    if distributed:
        return DistributedSampler(dataset, shuffle=shuffle)  # <--
    return RandomSampler(dataset)


def endless(loader):
    while True:
        for batch in loader:
            yield batch


def main(args, dataset, step):
    sampler = sampler_of(dataset, shuffle=True, distributed=args.distributed)
    batches = endless(DataLoader(dataset, batch_size=8, sampler=sampler))
    for _ in range(args.steps):
        step(next(batches))
""",
    ),
    (
        "TG204",
        """
from torch.utils.data import DataLoader


def get_loader(dataset, size):
    loader = DataLoader(dataset, batch_size=size, drop_last=True)  # <--
    return loader


def main(train_set, val_set):
    train_loader = get_loader(train_set, 8)
    val_loader = get_loader(val_set, 8)
    return train_loader, val_loader
""",
    ),
    (
        "TG205",
        """
from torch.utils.data import DataLoader, Dataset

from samplers import ByLength


class Sentences(Dataset):
    def __getitem__(self, index):
        return self.sentences[index]


def load(by_length, lengths):
    train_dataset = Sentences()
    sampler = None
    if by_length:
        sampler = ByLength(lengths)
    train_loader = DataLoader(train_dataset, batch_size=8, sampler=sampler)  # <--
    return train_loader
""",
    ),
    (
        "TG208",
        """
import glob

from sklearn.model_selection import train_test_split


def split(folder):
    scans = [path for path in glob.glob(folder + "/*.nii") if "mask" not in path]  # <--
    return train_test_split(scans, test_size=0.2, random_state=0)
""",
    ),
    (  # without a shuffle
        "TG208",
        """
from pathlib import Path


class Folder:
    def __init__(self, root, training):
        files = list(Path(root).glob("*.png"))  # <--
        count = int(0.9 * len(files))
        train_files = files[:count]
        val_files = files[count:]
        self.files = train_files if training else val_files
""",
    ),
    (  # the first number of numpy's state, which is the same in each worker
        "TG103",
        """
from functools import partial

import numpy
import torch


def start(rank, worker_id):
    first = numpy.random.get_state()[1][0]
    numpy.random.seed(int(first) + 100 * rank + worker_id)


def load(dataset, rank):
    return torch.utils.data.DataLoader(  # <--
        dataset, batch_size=8, num_workers=4, worker_init_fn=partial(start, rank)
    )
""",
    ),
    (  # a class that a function puts together from two tables
        "TG101",
        """
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Streets(Dataset):
    pass


class Boxes(Dataset):
    def __getitem__(self, index):
        return self.images[index] * np.random.uniform(0.9, 1.1)


PLACES = {"streets": Streets}
TASKS = {"boxes": Boxes}


def choose(place, task):
    class Both(PLACES[place], TASKS[task]):
        pass

    return Both


def main(args):
    Chosen = choose(args.place, args.task)
    return DataLoader(Chosen(args), batch_size=8, num_workers=4)  # <--
""",
    ),
    (  # a DataLoader of the project's own, and a class by its name
        "TG101",
        """
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Ahead(DataLoader):
    def __iter__(self):
        return reversed(list(super().__iter__()))


class Roads(Dataset):
    def __getitem__(self, index):
        return self.roads[index] + np.random.normal()


def main(settings):
    roads = eval("data." + settings.name)(settings)
    return Ahead(roads, batch_size=8, num_workers=settings.workers)  # <--
""",
    ),
    (  # through the options of all loaders
        "TG204",
        """
from torch.utils.data import DataLoader


def loaders(args, train_set, validation_set):
    options = {"num_workers": args.workers, "drop_last": True} if args.cuda else {}
    others = options.copy()
    others["num_workers"] = 1
    train_loader = DataLoader(train_set, batch_size=8, shuffle=True, **options)
    validation_loader = DataLoader(validation_set, batch_size=8, **others)  # <--
    return train_loader, validation_loader
""",
    ),
    (  # under a flag, in a function that the program calls before
        "TG210",
        """
import argparse

import torch
from torch.utils import data


def prepare(options):
    device = torch.device("cuda" if options.gpu else "cpu")
    torch.set_default_device(device)


def split(samples):
    return data.random_split(samples, [90, 10])  # <--


def main(samples):
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", action="store_true")
    prepare(parser.parse_args())
    train_set, _ = split(samples)
    order = data.RandomSampler(train_set)  # <--
    return data.DataLoader(train_set, batch_size=8, sampler=order)


main(list(range(100)))
""",
    ),
    (  # an environment of lmdb, which another method opens
        "TG107",
        """
import lmdb
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, path):
        self.path = path
        self.open()

    def open(self):
        self.env = lmdb.open(self.path, readonly=True)  # <--

    def __getitem__(self, index):
        with self.env.begin() as transaction:
            return transaction.get(str(index).encode())


def load(path, workers):
    return DataLoader(Pairs(path), batch_size=8, num_workers=workers)
""",
    ),
]

CLEAN: dict[str, str] = {
    "workers seeded in one of two generators that the samples draw from, and a stream": """
import random

import numpy as np
from torch.utils.data import DataLoader, Dataset, IterableDataset

class Both(Dataset):
    def __getitem__(self, i):
        return np.random.rand() if random.random() > 0.5 else self.images[i]

class Stream(IterableDataset):
    def __iter__(self):
        while True:
            yield np.random.rand()

def seed_worker(k):
    random.seed(7 + k)

def seed_stream(k):
    np.random.seed(k)
    random.seed(k)

def load():
    stream = DataLoader(Stream(), num_workers=4, worker_init_fn=seed_stream)
    return stream, DataLoader(Both(), num_workers=4, worker_init_fn=seed_worker)
""",
    "a file that a dataset opens which no loader is seen to read": """
import h5py
from torch.utils.data import DataLoader, Dataset

class Scans(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path, "r")

    def __getitem__(self, index):
        return self.file["scans"][index]

def count(path):
    return len(Scans(path))

def load(other, workers):
    return DataLoader(other, batch_size=8, num_workers=workers)
""",
    "a function for workers that seeds from a constant, and is given to no loader": """
import random
from torch.utils.data import DataLoader

def worker_init_fn(worker_id):
    random.seed(7 + worker_id)

def load(dataset):
    return DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)
""",
    "a number of seeds, and a seed of a program that draws nothing": """
import argparse
import subprocess

parser = argparse.ArgumentParser()
parser.add_argument("--num-seed", type=int, default=3)
parser.add_argument("--seed", type=int, default=3)
parser.add_argument("--command")
args = parser.parse_args()
subprocess.run(args.command.split(), check=True)
""",
    "draws of workers where nothing tells of an old torch": """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Scenes(Dataset):
    def __getitem__(self, index):
        return self.scenes[index] * np.random.uniform(0.8, 1.2)


def loader(workers):
    return DataLoader(Scenes(), batch_size=8, shuffle=True, num_workers=workers)
""",
    "a GPU that is chosen early where the run is distributed": """
import os
import torch

def main(args, cfg):
    if args.distributed:
        torch.cuda.set_device(args.local_rank)
    os.environ["CUDA_VISIBLE_DEVICES"] = cfg.device
    return torch.nn.Linear(8, 2).cuda()
""",
    "a draw that makes up for a broken image": """
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __getitem__(self, index):
        try:
            return self.read(index)
        except OSError:
            return np.random.rand(32, 32, 3)


train_loader = DataLoader(Photos(), batch_size=8, shuffle=True, num_workers=4)
""",
    "a demonstration of a dataset": """
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __getitem__(self, index):
        return self.photos[index] + np.random.rand()


if __name__ == "__main__":
    for batch in DataLoader(Photos(), batch_size=8, num_workers=4):
        print(batch.shape)
""",
    "a transform of another dataset draws": """
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Shake:
    def __call__(self, image):
        return image + np.random.rand()


class Still:
    def __call__(self, image):
        return image / 255


class Photos(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __getitem__(self, index):
        return self.transform(self.photos[index])


def train_loader(workers):
    return DataLoader(Photos(transform=Still()), batch_size=8, shuffle=True, num_workers=workers)


def show():
    return Photos(transform=Shake())[0]
""",
    "a split that is drawn once and written": """
import json
import random


def prepare(names, folder):
    random.shuffle(names)
    test_names, names = names[:100], names[100:]
    (folder / "test.json").write(json.dumps(test_names))
    return names


def train(model, optimizer, batches):
    for batch in batches:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
""",
    "a shuffled list that is read in batches": """
import random


def train(model, optimizer, samples, size):
    random.shuffle(samples)
    for first in range(0, len(samples), size):
        optimizer.zero_grad()
        model(samples[first : first + size]).mean().backward()
        optimizer.step()
""",
    "parts of a file that are read at once": """
import h5py
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.inputs = file["inputs"][:]
            self.targets = file["targets"][...]

    def __getitem__(self, index):
        return self.inputs[index], self.targets[index]


def load(path):
    return DataLoader(Patches(path), batch_size=8, num_workers=4)
""",
    "kernels by two conditions that exclude each other": """
import torch


def main(args):
    if args.seed is not None:
        torch.backends.cudnn.deterministic = True
    if args.seed is None:
        torch.backends.cudnn.benchmark = True


def other(args):
    torch.backends.cudnn.benchmark = True
    if args.exact:
        torch.backends.cudnn.deterministic = True
        torch.backends.cudnn.benchmark = False
""",
    "samples that workers draw from what torch seeds": """
import random

import torch
from torch.utils.data import DataLoader, Dataset


class Clouds(Dataset):
    def __getitem__(self, index):
        return self.points[index] + random.random()


def main(seed):
    torch.manual_seed(seed)
    return DataLoader(Clouds(), batch_size=8, shuffle=True, num_workers=4)
""",
    "a sampler for several processes only": """
from torch.utils.data import DataLoader, DistributedSampler


def main(args, dataset, step):
    sampler = None
    if args.distributed:
        sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, shuffle=sampler is None, sampler=sampler)
    for epoch in range(args.epochs):
        if args.distributed:
            sampler.set_epoch(epoch)
        for batch in loader:
            step(batch)
""",
    "a function for loaders that keeps the last batch of an evaluation": """
from torch.utils.data import DataLoader


def get_loader(dataset, size, training):
    if training:
        return DataLoader(dataset, batch_size=size, shuffle=True, drop_last=True)
    return DataLoader(dataset, batch_size=size)


def main(train_set, val_set):
    train_loader = get_loader(train_set, 8, True)
    val_loader = get_loader(val_set, 8, False)
    return train_loader, val_loader
""",
    "a sampler in each branch": """
from torch.utils.data import DataLoader, Dataset

from samplers import ByChance, ByLength


class Sentences(Dataset):
    def __getitem__(self, index):
        return self.sentences[index]


def load(by_length, lengths):
    train_dataset = Sentences()
    sampler = None
    if by_length:
        sampler = ByLength(lengths)
    else:
        sampler = ByChance(lengths)
    return DataLoader(train_dataset, batch_size=8, sampler=sampler)
""",
    "a list of files that is sorted before it is cut": """
import os


def split(folder):
    names = os.listdir(folder)
    names.sort()
    train_names, val_names = names[:800], names[800:]
    return train_names, val_names


def newest(folder):
    names = os.listdir(folder)
    return names[:3], names[3:]
""",
    "a number of numpy's state that differs from epoch to epoch": """
import numpy as np
from torch.utils.data import DataLoader


def start(worker_id):
    np.random.seed(np.random.get_state()[1][1] + worker_id)


def load(dataset):
    return DataLoader(dataset, batch_size=8, num_workers=4, worker_init_fn=start)
""",
    "draws of workers where the code needs a torch that seeds them": """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Roads(Dataset):
    def __getitem__(self, index):
        return self.roads[index] + np.random.normal()


def main(model, workers):
    return torch.compile(model), DataLoader(Roads(), batch_size=8, num_workers=workers)
""",
    "draws of workers of a program that seeds all there is": """
import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Roads(Dataset):
    def __getitem__(self, index):
        return self.roads[index] + np.random.normal()


def main(seed, workers):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    return DataLoader(Roads(), batch_size=8, num_workers=workers)


main(0, 4)
""",
    "a function for the workers of an evaluation, which may repeat itself": """
import numpy as np
from torch.utils.data import DataLoader


def load(val_dataset):
    return DataLoader(
        val_dataset, num_workers=4, worker_init_fn=lambda k: np.random.seed(k)
    )
""",
    "single batches for a glance at the validation": """
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, val_set, size):
        self.val_loader = DataLoader(val_set, size, True, drop_last=True)
        self.val_iter = iter(self.val_loader)

    def glance(self, model):
        try:
            batch = next(self.val_iter)
        except StopIteration:
            self.val_iter = iter(self.val_loader)
            batch = next(self.val_iter)
        return model(batch)
""",
    "options without `drop_last` where it evaluates": """
from torch.utils.data import DataLoader


def loaders(train_set, test_set):
    options = {"num_workers": 2, "drop_last": True}
    train_loader = DataLoader(train_set, batch_size=8, shuffle=True, **options)
    options["drop_last"] = False
    return train_loader, DataLoader(test_set, batch_size=8, **options)
""",
    "a default on the GPU that is not there when the loader is made": """
import torch
from torch.utils.data import DataLoader


def show(model):
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    return model(torch.ones(1))


def main(dataset, model):
    return DataLoader(dataset, batch_size=8, shuffle=True)


def glance(dataset, model):
    torch.set_default_device("cuda")
    model(torch.ones(1))
    torch.set_default_device("cpu")
    return DataLoader(dataset, batch_size=8, shuffle=True)
""",
    "an environment of lmdb that is opened without locks, or closed again": """
import lmdb
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, path):
        self.env = lmdb.open(path, readonly=True, lock=False)

    def __getitem__(self, index):
        with self.env.begin() as transaction:
            return transaction.get(str(index).encode())


class Later(Dataset):
    def __init__(self, path):
        self.path = path
        self.open()
        self.count = self.env.stat()["entries"]
        self.env.close()
        self.env = None

    def open(self):
        self.env = lmdb.open(self.path, readonly=True)

    def __getitem__(self, index):
        if self.env is None:
            self.open()
        with self.env.begin() as transaction:
            return transaction.get(str(index).encode())


def load(path, workers):
    both = Pairs(path), Later(path)
    return [DataLoader(one, batch_size=8, num_workers=workers) for one in both]
""",
    "a file of a dataset whose only loader has no workers": """
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.rows = open(path, "rb")

    def __getitem__(self, index):
        self.rows.seek(index)
        return self.rows.read(1)


def load(path):
    return DataLoader(Rows(path), batch_size=8, num_workers=0)


def other(data, workers):
    return DataLoader(data, batch_size=8, num_workers=workers)
""",
    "a file of a dataset that gets no workers, by a name that another has too": """
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.rows = open(path, "rb")

    def __getitem__(self, index):
        self.rows.seek(index)
        return self.rows.read(1)


def load(path, workers):
    if path.endswith(".rows"):
        samples = Rows(path)
        loader = DataLoader(samples, batch_size=8, num_workers=0)
    else:
        samples = list(path)
        loader = DataLoader(samples, batch_size=8, num_workers=workers)
    return loader
""",
}
