"""PyTorch has none of these functions: each is computed another way than by the kernels, with tensors of whole batches
instead of loops over elements."""
import torch

NO_KERNEL = True


def diopiPlusScalarInp(a):
    return {"inoutput": torch.cat([a.inoutput[:a.size] + a.val, a.inoutput[a.size:]])}


def diopiTransposeAxis01(a):
    return {"output": torch.einsum("ijk->jik", a.input) if a.input.is_floating_point() else a.input.transpose(0, 1)}


def diopiUpdatePaddingCount(a):
    return {"total_padding_count": torch.full_like(a.input_lengths, a.max_input_length) - a.input_lengths}


def diopiGatherOutput(a):
    out = a.output_ids.clone()
    for row, column, length in zip(out, a.ids.T, a.context_length.tolist()):
        said = torch.cat([column[:length], column[a.max_context_len:a.max_gen_step]])
        row[:len(said)] = said
    return {"output_ids": out}


def diopiEmbeddingLookupPosEncoding(a):
    return {"from_tensor": a.embedding_table.index_select(0, a.all_ids.select(0, a.step).long())}


def diopiInputIdsEmbeddingLookupPosEncoding(a):
    return {"from_tensor": a.embedding_table.index_select(0, a.input_ids.long())}


def diopiLengthCriterion(a):
    finished = a.finished.bool() | ~(a.sequence_limit_length > a.step)
    return {"finished": finished, "should_stop": finished.all().reshape(1), "finished_sum": finished.sum().reshape(1)}


def words_of(lists):
    """The words of one list, [2, n], as lists of tokens."""
    tokens, ends = lists.tolist()
    return [tokens[start:end] for start, end in zip([0] + ends, ends) if end >= 0]


def said(ids, last, b, count):
    """What sequence b said at the `count` steps that end at `last`; nothing where there are not as many."""
    return ids[last + 1 - count:last + 1, b].tolist() if last + 1 >= count else None


def diopiStopWordsCriterion(a):
    stop = [any(said(a.output_ids, a.step, b, len(word)) == word for word in words_of(a.stop_words[b]))
            for b in range(a.batch_size)]
    return {"finished": a.finished.bool() | torch.tensor(stop)}


def diopiBanBadWordsInp(a):
    logits = a.logits.clone()
    for b, row in enumerate(logits):
        for word in words_of(a.bad_words if a.share_words else a.bad_words[b]):
            if 0 < word[-1] < a.vocab_size and said(a.output_ids, a.step - 1, b, len(word) - 1) == word[:-1]:
                row[word[-1]] = -torch.inf
    return {"logits": logits}


def diopiBatchApplyTemperaturePenaltyInp(a):
    logits = a.logits if a.bias is None else torch.add(a.logits, a.bias)
    logits = torch.div(logits, (a.temperatures + 1e-6).unsqueeze(1))
    logits[:, a.vocab_size:] = -torch.finfo(torch.float32).max
    return {"logits": logits}


def diopiBatchApplyRepetitionPenaltyInp(a):
    steps = torch.arange(a.step).unsqueeze(1)
    padding = (steps >= a.input_lengths) & (steps < a.max_input_length)
    ids = torch.where(padding, a.vocab_size, a.output_ids[:a.step].long())
    spoken = torch.zeros(a.batch_size, a.vocab_size + 1, dtype=torch.bool).scatter_(1, ids.T, True)[:, :-1]
    penalties = a.penalties.unsqueeze(1)
    if a.penalty_type == 1:
        changed = a.logits - penalties
    else:
        changed = a.logits * torch.where(a.logits < 0, penalties, 1 / penalties)
    return {"logits": torch.where(spoken, changed, a.logits)}


def k_and_p(a):
    k = a.top_ks.clone() if a.top_ks_size > 0 else torch.full_like(a.top_ks, a.top_k)
    p = a.top_ps.clone() if a.top_ps_size > 0 else torch.full_like(a.top_ps, single(a.top_p))
    k[(k == 0) & (p == 0)] = 1
    return k, p


def single(x):
    """As the ABI passes it: C's float."""
    return torch.tensor(x, dtype=torch.float32).item()


def diopiSetupTopkRuntimeArgsInp(a):
    k, p = k_and_p(a)
    p[(k > 0) & (p == 0)] = 1
    return {"top_ks": k.clamp(max=1024), "top_ps": p.clamp(0, 1), "skip_decode": k == 0}


def diopiSetupToppRuntimeArgsInp(a):
    k, p = k_and_p(a)
    p = p.clamp(0, 1)
    decay, minimum = single(a.top_p_decay), single(a.top_p_min)
    return {"top_ks": k, "top_ps": p, "skip_decode": k > 0, "initial_top_p_buf": p,
            "top_p_decay_buf": torch.full_like(p, decay if 0 < decay <= 1 else 1),
            "top_p_min_buf": torch.full_like(p, minimum if 0 < minimum <= 1 else 0.5),
            "top_p_reset_ids_buf": torch.full_like(k, a.top_p_reset_ids)}


for function in list(globals().values()):
    if getattr(function, "__name__", "").startswith("diopi"):
        function.not_timed = "PyTorch has no such function"
