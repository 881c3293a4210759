"""cdist by PyTorch."""
import torch


def diopiCdist(a):
    return {"out": torch.ops.aten.cdist(a.input1, a.input2, a.p, a.compute_mode)}


def diopiCdistBackward(a):
    # Its kernels take contiguous tensors alone.
    return {"grad_input": torch.ops.aten._cdist_backward(a.grad_output.contiguous(), a.input1.contiguous(),
                                                         a.input2.contiguous(), a.p, a.cdist.contiguous())}
