import torch


def diopiLinalgQR(a):
    q, r = torch.linalg.qr(a.A, mode=a.mode)
    return {"Q": q, "R": r}
