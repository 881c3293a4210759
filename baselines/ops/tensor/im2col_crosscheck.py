import torch


def diopiIm2Col(a):
    return {"out": torch.nn.functional.unfold(a.input, a.kernel_size, a.dilation, a.padding, a.stride)}


def diopiCol2Im(a):
    return {"out": torch.nn.functional.fold(a.input, a.output_size, a.kernel_size, a.dilation, a.padding, a.stride)}
