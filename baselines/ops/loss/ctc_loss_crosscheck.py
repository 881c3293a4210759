"""ctc_loss by PyTorch's operators below torch.nn.functional.ctc_loss, whose backward takes what the forward saved."""
import torch


def lengths(a):
    return a.input_lengths.tolist(), a.target_lengths.tolist()


def diopiCTCLoss(a):
    nll, _ = torch._ctc_loss(a.log_probs, a.targets.long(), *lengths(a), a.blank, a.zero_infinity)
    loss = torch.where(torch.isinf(nll), torch.zeros_like(nll), nll) if a.zero_infinity else nll
    if a.reduction == 1:
        loss = (loss / a.target_lengths.clamp_min(1)).mean()
    elif a.reduction == 2:
        loss = loss.sum()
    return {"out": loss, "neg_log_likelihood": nll}


def diopiCTCLossBackward(a):
    grad = a.grad_output.expand(a.log_probs.shape[1])
    if a.reduction == 1:
        grad = grad / a.target_lengths.clamp_min(1) / a.log_probs.shape[1]
    return {"grad_input": torch.ops.aten._ctc_loss_backward(
        grad.contiguous(), a.log_probs, a.targets.long(), *lengths(a), a.neg_log_likelihood, a.log_alpha, a.blank,
        a.zero_infinity)}
