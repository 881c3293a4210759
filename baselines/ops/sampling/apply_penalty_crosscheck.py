import torch

NO_KERNEL = True


# By tables of all logits: how often each was produced, and with which penalties.
def table(a, values):
    flat = torch.zeros(a.logits.numel(), dtype=a.logits.dtype)
    return flat.index_add(0, a.p_token_ids.long(), values.to(flat.dtype)).reshape(a.logits.shape)


def diopiApplyPenalty(a):
    counts = torch.zeros_like(a.logits, memory_format=torch.contiguous_format)
    lengths = a.p_cumsum_seq_len.long().diff()
    rows = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
    counts[rows, a.p_token_ids.long()] = a.p_token_counts.to(counts.dtype)
    penalty = counts * a.frequency_penalty.unsqueeze(1) + (counts > 0) * a.presence_penalty.unsqueeze(1)
    return {"logits": a.logits - penalty}


def diopiApplyPenaltyV2(a):
    named = table(a, torch.ones_like(a.presence_penalty)) > 0
    factor = torch.where(named, table(a, a.repetition_penalty), torch.ones_like(a.logits))
    subtracted = table(a, a.p_token_counts * a.frequency_penalty + a.presence_penalty)
    return {"logits": a.logits.clamp(min=0) / factor + a.logits.clamp(max=0) * factor - subtracted}
