import torch

NO_KERNEL = True


def diopiScaledMaskedSoftmax(a):
    mask = a.mask
    if a.fixed_triu_mask:
        rows, columns = a.input.shape[-2:]
        mask = torch.arange(columns).unsqueeze(0) > torch.arange(rows).unsqueeze(1)
    # NaN, and so a disagreement, where a row is masked throughout.
    return {"output": torch.where(mask, -torch.inf, a.input * a.scale).softmax(-1)}


def diopiScaledMaskedSoftmaxBackward(a):
    # The forward's output is given, so PyTorch's own backward kernel is called on it.
    return {"grad_input": torch._softmax_backward_data(a.grad_output, a.output, -1, a.output.dtype) * a.scale}
