import torch


def diopiLogSoftmax(a):
    return {"out": torch.log_softmax(a.input, a.dim)}


def diopiLogSoftmaxBackward(a):
    return {"grad_input": torch._log_softmax_backward_data(a.grad_output, a.output, a.dim, a.output.dtype)}
