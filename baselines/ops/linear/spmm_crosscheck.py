"""Every entry times its row of the dense matrix, added to the row of the result that it belongs to."""
import numpy as np
import torch

NO_KERNEL = True


def diopiSpMM(a):
    starts, columns, values = (np.asarray(part) for part in a.input)
    left = a.mat2.numpy()
    out = np.zeros((len(starts) - 1, left.shape[1]), left.dtype)
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    np.add.at(out, rows, values[:, None] * left[columns])
    return {"out": torch.from_numpy(out)}
