import torch


def diopiFusedAdamW(a):
    """PyTorch 1.13 has the fused step on GPUs only; AdamW's list form on the CPU computes the same."""
    kept = a.max_exp_avg_sqs if a.amsgrad else []
    results = {name: [tensor.clone() for tensor in tensors]
               for name, tensors in (("params", a.params), ("exp_avgs", a.exp_avgs), ("exp_avg_sqs", a.exp_avg_sqs),
                                     ("max_exp_avg_sqs", kept))}
    steps = [step.reshape(()).double() - 1 for step in a.state_steps]
    torch.optim._functional.adamw(
        results["params"], [grad.clone() for grad in a.grads], results["exp_avgs"], results["exp_avg_sqs"],
        results["max_exp_avg_sqs"], steps, foreach=False, amsgrad=a.amsgrad, beta1=a.beta1, beta2=a.beta2, lr=a.lr,
        weight_decay=a.weight_decay, eps=a.eps, maximize=a.maximize)
    return {name: tensors for name, tensors in results.items() if tensors}
