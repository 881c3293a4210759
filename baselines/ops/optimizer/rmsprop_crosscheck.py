import torch

from single import single


def diopiRmsprop(a):
    param = a.param.clone().requires_grad_()
    param.grad = a.grad.clone()
    optimizer = torch.optim.RMSprop([param], lr=single(a.lr), alpha=single(a.alpha), eps=single(a.eps),
                                    weight_decay=single(a.weight_decay), momentum=single(a.momentum),
                                    centered=a.centered)
    state = optimizer.state[param]
    state["step"] = 1
    state["square_avg"] = a.square_avg.clone()
    if a.centered:
        state["grad_avg"] = a.grad_avg.clone()
    if a.momentum > 0:
        state["momentum_buffer"] = a.momentum_buf.clone()
    optimizer.step()
    result = {"param": param.detach(), "square_avg": state["square_avg"]}
    if a.grad_avg is not None:
        result["grad_avg"] = state["grad_avg"] if a.centered else a.grad_avg
    if a.momentum_buf is not None:
        result["momentum_buf"] = state["momentum_buffer"] if a.momentum > 0 else a.momentum_buf
    return result
