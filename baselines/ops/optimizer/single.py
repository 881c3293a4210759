"""What the ABI passes as C float."""
import numpy as np


def single(x):
    return float(np.float32(x))
