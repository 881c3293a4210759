import torch

from single import single


def diopiAdadelta(a):
    param = a.param.clone().requires_grad_()
    param.grad = a.grad.clone()
    optimizer = torch.optim.Adadelta([param], lr=single(a.lr), rho=single(a.rho), eps=single(a.eps),
                                     weight_decay=single(a.weight_decay))
    state = optimizer.state[param]
    state["step"] = 1
    state["square_avg"] = a.square_avg.clone()
    state["acc_delta"] = a.acc_delta.clone()
    optimizer.step()
    return {"param": param.detach(), "square_avg": state["square_avg"], "acc_delta": state["acc_delta"]}
