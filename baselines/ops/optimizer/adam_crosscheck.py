import torch

from single import single


def step(a, kind):
    param = a.param.clone().requires_grad_()
    param.grad = a.grad.clone()
    optimizer = kind([param], lr=single(a.lr), betas=(single(a.beta1), single(a.beta2)), eps=single(a.eps),
                     weight_decay=single(a.weight_decay), amsgrad=a.amsgrad)
    state = optimizer.state[param]
    state["step"] = torch.tensor(float(a.step - 1), dtype=torch.float64, device="cpu")
    state["exp_avg"] = a.exp_avg.clone()
    state["exp_avg_sq"] = a.exp_avg_sq.clone()
    if a.amsgrad:
        state["max_exp_avg_sq"] = a.max_exp_avg_sq.clone()
    optimizer.step()
    result = {"param": param.detach(), "exp_avg": state["exp_avg"], "exp_avg_sq": state["exp_avg_sq"]}
    if a.max_exp_avg_sq is not None:
        result["max_exp_avg_sq"] = state["max_exp_avg_sq"] if a.amsgrad else a.max_exp_avg_sq
    return result


def diopiAdam(a):
    return step(a, torch.optim.Adam)


def diopiAdamW(a):
    return step(a, torch.optim.AdamW)
