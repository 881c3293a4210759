"""Attention as matrix products and a softmax of whole tensors; the gradients start from the output and the log-sum-exp that
the case gives, not from recomputed ones."""
import torch

NO_KERNEL = True


def heads_first(x, layout, dim):
    """(batch, head, place, dim)."""
    if layout in ("BSH", "SBH"):
        x = x.reshape(x.shape[0], x.shape[1], -1, dim)
        return x.permute(1, 2, 0, 3) if layout == "SBH" else x.transpose(1, 2)
    return x.transpose(1, 2) if layout == "BSND" else x


def as_given(x, layout, like):
    if layout == "SBH":
        x = x.permute(2, 0, 1, 3)
    elif layout != "BNSD":
        x = x.transpose(1, 2)
    return x.reshape(like.shape)


def added(a, queries, keys):
    """What is added to the scores: a bias, and -inf where a query does not see a key."""
    place = torch.arange(queries)[:, None] + keys - queries
    distance = torch.arange(keys)[None, :] - place
    left, right = getattr(a, "window_size_left", -1), getattr(a, "window_size_right", -1)
    hidden = torch.zeros(queries, keys, dtype=torch.bool)
    if a.is_causal:
        hidden |= distance > 0
    if left >= 0:
        hidden |= distance < -left
    if right >= 0:
        hidden |= distance > right
    mask, slopes = getattr(a, "attention_mask", None), getattr(a, "alibi_slopes", None)
    if mask is not None:
        hidden |= mask[:queries, :keys]
    bias = torch.zeros(1, queries, keys, dtype=a.q.dtype)
    if slopes is not None:
        bias = -slopes[:, None, None] * distance.abs()
    return bias.masked_fill(hidden, float("-inf"))


def scores(a, q, k):
    scale = a.scale if hasattr(a, "scale") else torch.tensor(a.softmax_scale, dtype=torch.float32).item()
    k = k.repeat_interleave(q.shape[1] // k.shape[1], 1)
    return torch.einsum("bhid,bhjd->bhij", q, k) * scale + added(a, q.shape[2], k.shape[2]), scale


def forward(a, q, k, v):
    s, _ = scores(a, q, k)
    weights = torch.softmax(s, -1)
    return torch.einsum("bhij,bhjd->bhid", weights, v.repeat_interleave(q.shape[1] // v.shape[1], 1)), torch.logsumexp(s, -1)


def backward(a, q, k, v, grad, out, lse):
    s, scale = scores(a, q, k)
    group = q.shape[1] // k.shape[1]

    def shared(x):
        return x.unflatten(1, (k.shape[1], group)).sum(2)

    weights = torch.exp(s - lse[..., None])
    slopes = torch.einsum("bhid,bhjd->bhij", grad, v.repeat_interleave(group, 1))
    slopes = weights * (slopes - (grad * out).sum(-1, keepdim=True)) * scale
    return (torch.einsum("bhij,bhjd->bhid", slopes, k.repeat_interleave(group, 1)),
            shared(torch.einsum("bhij,bhid->bhjd", slopes, q)), shared(torch.einsum("bhij,bhid->bhjd", weights, grad)))


def layout_of(a):
    layout = getattr(a, "input_layout", "BSND")
    return layout, a.q.shape[-1] // a.head_num if layout in ("BSH", "SBH") else a.q.shape[-1]


def whole(a):
    layout, dim = layout_of(a)
    out, lse = forward(a, *(heads_first(x, layout, dim) for x in (a.q, a.k, a.v)))
    return as_given(out, layout, a.q), lse


def whole_backward(a, grad, out, lse):
    layout, dim = layout_of(a)
    grads = backward(a, *(heads_first(x, layout, dim) for x in (a.q, a.k, a.v, grad, out)), lse)
    return {name: as_given(g, layout, x) for name, g, x in zip(("grad_q", "grad_k", "grad_v"), grads, (a.q, a.k, a.v))}


def sequences(a):
    ends_q, ends_k = a.cum_seq_q, a.cum_seq_kv if hasattr(a, "cum_seq_kv") else a.cum_seq_k
    if isinstance(ends_q, list):
        ends_q, ends_k = [0] + ends_q, [0] + ends_k
    pairs = [[int(x) for x in ends] for ends in (ends_q, ends_k)]
    return [(slice(q0, q1), slice(k0, k1)) for q0, q1, k0, k1 in zip(pairs[0], pairs[0][1:], pairs[1], pairs[1][1:])]


def cut(x, span):
    return x[span].transpose(0, 1)[None]


def each(a):
    out = torch.zeros_like(a.q)
    for of_q, of_k in sequences(a):
        if of_q.stop > of_q.start:
            result, _ = forward(a, cut(a.q, of_q), cut(a.k, of_k), cut(a.v, of_k))
            out[of_q] = result[0].transpose(0, 1)
    return out


def each_backward(a, grad, out, lse_of):
    grads = [torch.zeros_like(x) for x in (a.q, a.k, a.v)]
    for b, (of_q, of_k) in enumerate(sequences(a)):
        results = backward(a, cut(a.q, of_q), cut(a.k, of_k), cut(a.v, of_k), cut(grad, of_q), cut(out, of_q), lse_of(b, of_q))
        for all_grads, span, result in zip(grads, (of_q, of_k, of_k), results):
            all_grads[span] = result[0].transpose(0, 1)
    return dict(zip(("grad_q", "grad_k", "grad_v"), grads))


def log_sums(a):
    return a.softmax_max[..., 0] + torch.log(a.softmax_sum[..., 0])


def diopiFlashAttention(a):
    out, lse = whole(a)
    return {"attention_out": out, "softmax_lse": lse}


def diopiFlashAttentionBackward(a):
    return whole_backward(a, a.grad_output, a.attention_out, a.softmax_lse)


def diopiFlashAttentionVarLen(a):
    return {"attention_out": each(a)}


def diopiFlashAttentionVarLenBackward(a):
    return each_backward(a, a.grad_output, a.attention_out,
                         lambda b, span: a.softmax_lse[b:b + 1, :, :span.stop - span.start])


def diopiCustomizedFlashAttention(a):
    return {"attention_out": whole(a)[0]}


def diopiCustomizedFlashAttentionBackward(a):
    return whole_backward(a, a.grad_output, a.attention_out, log_sums(a))


def diopiCustomizedFlashAttentionVarLen(a):
    return {"attention_out": each(a)}


def diopiCustomizedFlashAttentionVarLenBackward(a):
    return each_backward(a, a.grad_output, a.attention_out, lambda b, span: log_sums(a)[span].transpose(0, 1)[None])


def diopiMultiHeadAttention(a):
    out, lse = whole(a)
    return {"out": out, "softmax_lse": lse}


def diopiMultiHeadAttentionBackward(a):
    return whole_backward(a, a.grad_out, a.out, a.softmax_lse)


def diopiMultiHeadAttentionVarLen(a):
    return {"out": each(a)}


def diopiMultiHeadAttentionVarLenBackward(a):
    return each_backward(a, a.grad_out, a.out, lambda b, span: a.softmax_lse[b:b + 1, :, :span.stop - span.start])


for function in [value for name, value in list(globals().items()) if name.startswith("diopi")]:
    function.not_timed = "no single call of PyTorch's"
