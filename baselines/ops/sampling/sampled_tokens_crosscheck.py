"""Tokens drawn with NumPy's generator by np.searchsorted on the sorted weights of each sequence. Nothing is compared, as what
comes out is random; --native judges it by our rule."""
import numpy as np
import torch

RANDOM = np.random.default_rng(20231129)


def sampled(a, limits, divide):
    """The outputs of a batch whose sequences draw from their first `limits` tokens; `divide` subtracts the logarithm of what
    these have of the softmax."""
    logits = a.logits.double().numpy()
    given = {name: getattr(a, name) for name in
             ("output_ids", "finished", "sequence_lengths", "cum_log_probs", "output_log_probs")}
    # What callers leave out is computed, and dropped in the end.
    out = {name: torch.zeros(a.batch_size) if x is None else x.clone() for name, x in given.items()}
    for b, row in enumerate(logits):
        if a.skip_decode is not None and a.skip_decode[b]:
            continue
        end = int(a.end_ids[b])
        if out["finished"][b]:
            out["output_ids"][a.step, b] = end
            continue
        order = np.argsort(-row, kind="stable")
        with np.errstate(under="ignore"):
            weights = np.exp(row[order] - row[order[0]])
        sums = np.cumsum(weights)
        kept = sums[limits[b] - 1]
        place = int(np.searchsorted(sums[:limits[b]], (1 - RANDOM.random()) * float(a.runtime_top_p[b]) * kept))
        place = min(place, np.count_nonzero(weights[:limits[b]]) - 1)
        log_prob = np.log(weights[place] / sums[-1])
        token = int(order[place])
        out["output_ids"][a.step, b] = token
        out["cum_log_probs"][b] += log_prob
        out["output_log_probs"][b] = log_prob - (np.log(kept / sums[-1]) if divide else 0)
        out["sequence_lengths"][b] += 1
        out["finished"][b] = token == end
    return {name: x for name, x in out.items() if given[name] is not None}


def diopiTopKSampling(a):
    return sampled(a, a.runtime_top_k.tolist(), True)


def diopiTopPSampling(a):
    return {**sampled(a, [a.vocab_size_padded] * a.batch_size, False), "runtime_top_p": a.runtime_top_p.clone()}


diopiTopKSampling.not_timed = diopiTopPSampling.not_timed = "PyTorch has no such function"
