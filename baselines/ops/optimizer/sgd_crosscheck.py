import torch


def diopiSgd(a):
    param = a.param.clone().requires_grad_()
    param.grad = a.grad.clone()
    optimizer = torch.optim.SGD([param], lr=a.lr, momentum=a.momentum, dampening=a.dampening,
                                weight_decay=a.weight_decay, nesterov=a.nesterov)
    if a.buf is not None and a.momentum != 0:
        optimizer.state[param]["momentum_buffer"] = a.buf.clone()
    optimizer.step()
    result = {"param": param.detach()}
    if a.buf is not None:
        result["buf"] = optimizer.state[param]["momentum_buffer"] if a.momentum != 0 else a.buf
    return result
