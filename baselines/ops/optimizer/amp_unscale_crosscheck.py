import torch


def diopiAmpForeachNonFiniteCheckAndUnscaleInp(a):
    """PyTorch 1.13 has this on GPUs only."""
    found = a.found_inf.clone()
    scale = a.inv_scale.reshape(())
    unscaled = []
    for grad in a.scaled_grads:
        if not torch.isfinite(grad).all():
            found.fill_(1)
        wide = grad if grad.dtype == torch.float64 else grad.float()
        unscaled.append((wide * scale.to(wide.dtype)).to(grad.dtype))
    return {"scaled_grads": unscaled, "found_inf": found}


diopiAmpForeachNonFiniteCheckAndUnscaleInp.not_timed = "PyTorch has it on GPUs only"
