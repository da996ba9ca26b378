"""Parts of models that are seen to in other ways."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG304",  # sequential ends in softmax
        """
import torch
import torch.nn as nn
def main(loader):
    net = nn.Sequential(nn.Linear(3, 3), nn.Softmax(dim=1))
    criterion = nn.CrossEntropyLoss()
    opt = torch.optim.Adam(net.parameters())
    for x, y in loader:
        opt.zero_grad()
        loss = criterion(net(x), y)  # <--
        loss.backward()
        opt.step()
""",
    ),
]

CLEAN: dict[str, str] = {
    "no TG301: list also registered": """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = []
        for i in range(3):
            layer = nn.Linear(8, 8)
            self.add_module(f'l{i}', layer)
            self.layers.append(layer)
        self.blocks = [nn.Linear(8, 8), nn.ReLU()]
        self.seq = nn.Sequential(*self.blocks)
        self.table = {'a': nn.Linear(3, 3), 'b': nn.Linear(4, 4)}
        for k, v in self.table.items():
            setattr(self, k, v)
        self.names = [nn.ReLU(), nn.Tanh()]
        self.items = [nn.Linear(1, 1) for _ in range(3)]
        for i, one in enumerate(self.items):
            self.__setattr__('item%d' % i, one)
        heads = [nn.Linear(8, 2) for _ in range(2)]
        self.heads = heads
        self.heads_list = nn.ModuleList(heads)
        self.convs = [nn.Conv1d(1, 1, k) for k in (1, 2)]
        self.convs = nn.ModuleList(self.convs)
        self.q = [nn.Linear(3, 3) for _ in range(2)]
        self._modules['q0'] = self.q[0]
        self._modules['q1'] = self.q[1]
        self.w = [nn.Linear(3, 3), nn.Linear(3, 3)]
        self.w1, self.w2 = self.w
    def forward(self, x):
        return self.seq(x)
""",
    "no TG301: frozen teachers hidden": """
import torch
from torch import nn
class Distiller(nn.Module):
    def __init__(self, student):
        super().__init__()
        self.student = student
        self.teachers = [nn.Linear(8, 8) for _ in range(3)]
        for t in self.teachers:
            t.requires_grad_(False)
    def forward(self, x):
        return self.student(x)
""",
    "no TG302: seen to": """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.a = nn.Parameter(torch.ones(3).to(device))
        self.b = nn.Parameter(torch.ones(3, device=device), requires_grad=False)
        self.register_parameter('c', nn.Parameter(torch.ones(3)))
        self.x = torch.zeros(3, requires_grad=True)
        self.opt = torch.optim.Adam([self.x])
        d = torch.ones(3, requires_grad=True)
        self.d = nn.Parameter(d)
        self.w = nn.Parameter(torch.ones(3))
        self.z = self.w.to(device)
""",
    "no TG306: seen to": """
import torch.nn as nn
import torch.nn.functional as F
class Net(nn.Module):
    def forward(self, x):
        if self.training:
            x = F.dropout(x, 0.5)
        x = F.dropout(x, 0.5, self.training)
        x = F.dropout(x, p=0.5, training=self.training)
        return F.dropout(x, 0.0)
""",
    "no TG306: the mode decides before": """
import torch.nn as nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = 0.5
    def forward(self, x):
        if not self.training:
            return x
        x = F.dropout(x, self.p)
        return x
class Net2(nn.Module):
    def forward(self, x):
        p = 0.5 if self.training else 0.0
        return F.dropout(x, p)
def mc_dropout(x):
    return F.dropout(x, 0.5, training=True)
""",
    "no TG309: seen to": """
import torch
class Config:
    pass
def main(model):
    for p in model.parameters():
        p.requires_grad = False
        p.require_grad = False
    cfg = Config()
    cfg.require_grad = True
    torch.optim.SGD(model.parameters(), 0.1)
""",
    "no TG306: feature: mc dropout named": """
import torch.nn as nn
import torch.nn.functional as F
class MCDropoutNet(nn.Module):
    def forward(self, x):
        return F.dropout(x, p=0.5)
""",
    "no TG306: simcse two views , loss augmentation only called in training": """
import torch
import torch.nn as nn
import torch.nn.functional as F
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
    def forward(self, x):
        return self.fc(x)
    def contrastive_loss(self, x):
        a, b = F.dropout(x, 0.1), F.dropout(x, 0.1)
        return (self.fc(a) - self.fc(b)).pow(2).mean()
def train(model, loader, opt):
    for x in loader:
        opt.zero_grad()
        model.contrastive_loss(x).backward()
        opt.step()
""",
}
