// The arguments of the functions of training attention, by one name each.
#ifndef BASELINES_OPS_ATTENTION_ATTENTION_CALL_H_
#define BASELINES_OPS_ATTENTION_ATTENTION_CALL_H_

#include <string>
#include <type_traits>
#include <vector>

#include "baselines/ops/attention/attention.h"

namespace diopi::ops::both {

// Running sums of the sequences' lengths: a tensor that begins with 0, or the host's array without it.
struct Cumulative {
  Tensor tensor;
  Shape given;
  Cumulative() = default;
  Cumulative(diopiConstTensorHandle_t handle) : tensor(handle) {}     // NOLINT: the ABI has both forms
  Cumulative(const diopiSize_t& sizes) : given(ops::Sizes(sizes)) {}  // NOLINT
  int64_t count() const { return tensor ? tensor.numel() - 1 : static_cast<int64_t>(given.size()); }
  Starts AsStarts() const {
    Starts starts;
    starts.kind = tensor ? Starts::kTensor : Starts::kHost;
    if (tensor) starts.tensor = In<int64_t>(tensor);
    for (size_t i = 0; i < given.size(); ++i) starts.given[i + 1] = given[i];
    return starts;
  }
};

// Sequences must follow each other from the first token to the last. The reference of a device does not read
// their starts, which are in its memory.
inline void CheckStarts(const Starts& starts, const Tokens& tokens, int64_t most, const char* name) {
#if defined(__CUDACC__) || defined(DIOPI_CUDA_EMULATED)
  if (starts.kind == Starts::kTensor) return;
#endif
  bool fits = starts.Begin(0) == 0 && starts.Begin(tokens.batch) == tokens.places;
  for (int64_t b = 0; b < tokens.batch; ++b) {
    fits = fits && starts.Length(b) >= 0 && starts.Length(b) <= most;
  }
  Check(fits, "expected ", name, " to rise from 0 to ", tokens.places, " in steps of at most ", most);
}

struct AttentionCall {
  diopiContextHandle_t ctx;
  Tensor q, k, v, slopes{}, mask{};
  Tokens at_q{}, at_k{};
  bool sequences = false;
  Cumulative cumulative_q{}, cumulative_k{};
  int64_t most_q = 0, most_k = 0, left = -1, right = -1;
  bool causal = false;
  double scale = 1;
  Drops drops{};

  // (batch, head, place): the shape of softmax_lse.
  Shape Rows() const { return {at_q.batch, at_q.heads, most_q}; }

  template <typename C>
  Scores<C> Prepare() const {
    Scores<C> of;
    of.at_q = at_q;
    of.at_k = at_k;
    of.most_q = most_q;
    of.most_k = most_k;
    of.starts_q.length = most_q;
    of.starts_k.length = most_k;
    if (sequences) {
      of.starts_q = cumulative_q.AsStarts();
      of.starts_k = cumulative_k.AsStarts();
      CheckStarts(of.starts_q, at_q, most_q, "cum_seq_q");
      CheckStarts(of.starts_k, at_k, most_k, "cum_seq_k");
    }
    of.scale = Rounded<C>(static_cast<long double>(scale));
    of.operands = Operands(q.dtype());
    of.sight.causal = causal;
    of.sight.left = left;
    of.sight.right = right;
    of.sight.masked = static_cast<bool>(mask);
    if (mask) {
      Check(mask.rank() == 2, "expected a mask of 2 dimensions, got shape ", ShapeText(mask.shape()));
      of.sight.mask = In<int64_t>(mask);
      of.sight.mask_width = mask.size(1);
    }
    of.sight.biased = static_cast<bool>(slopes);
    if (slopes) of.sight.slopes = In<C>(slopes);
    of.drops = drops;
    of.q = In<C>(q);
    of.k = In<C>(k);
    of.v = In<C>(v);
    return of;
  }
};

inline void CheckCall(const AttentionCall& call) {
  Check(call.drops.p >= 0 && call.drops.p < 1, "dropout must lie in [0, 1), got ", call.drops.p);
  CheckShape(call.v, call.k.shape(), "v");
  Check(call.at_k.heads > 0 && call.at_q.heads % call.at_k.heads == 0 && call.at_q.dim == call.at_k.dim,
        "keys of shape ", ShapeText(call.k.shape()), " do not fit queries of shape ",
        ShapeText(call.q.shape()));
  Check(call.at_q.batch == call.at_k.batch, "expected as many sequences of keys as of queries, ",
        call.at_q.batch, ", got ", call.at_k.batch);
  Check(!call.sequences || call.at_q.batch <= Starts::kMost, "more than ", Starts::kMost, " sequences");
  if (call.slopes) CheckShape(call.slopes, {call.at_q.heads}, "alibi_slopes");
}

// The arguments by the names that the functions have for them.
template <typename Args>
AttentionCall CallOf(const Args& a) {
  AttentionCall call{a.ctx, Tensor(a.q), Tensor(a.k), Tensor(a.v)};
  call.causal = a.is_causal;
  std::string layout = "BSND";
  int64_t heads = 0;
  if constexpr (requires { a.window_size_left; }) {
    call.left = a.window_size_left;
    call.right = a.window_size_right;
    call.slopes = Tensor(a.alibi_slopes);
  }
  if constexpr (requires { a.attention_mask; }) call.mask = Tensor(a.attention_mask);
  if constexpr (requires { a.input_layout; }) {
    layout = a.input_layout;
    heads = a.head_num;
  }
  if constexpr (requires { a.cum_seq_q; }) {
    call.sequences = true;
    call.cumulative_q = Cumulative(a.cum_seq_q);
    if constexpr (requires { a.cum_seq_kv; }) {
      call.cumulative_k = Cumulative(a.cum_seq_kv);
      call.most_q = a.max_seqlen_q;
      call.most_k = a.max_seqlen_kv;
    } else {
      call.cumulative_k = Cumulative(a.cum_seq_k);
      call.most_q = a.max_q;
      call.most_k = a.max_k;
    }
    layout = "TND";
  }
  if constexpr (requires { a.softmax_scale; }) {
    call.scale = static_cast<double>(a.softmax_scale);
    call.drops.p = static_cast<double>(a.p_dropout);
  } else {
    call.scale = a.scale;
    call.drops.p = a.dropout_p;
  }
  if constexpr (requires { a.gen; }) {
    if (call.drops.p > 0) diopiGeneratorGetSeedAndOffset(a.gen, &call.drops.seed, &call.drops.offset);
  } else if (call.drops.p > 0) {
    Check(a.dropout_mask != nullptr, "dropout needs the forward's dropout_mask");
    call.drops.masked = true;
    call.drops.mask = In<int64_t>(Tensor(a.dropout_mask));
  }
  const int64_t dim = heads > 0 && call.q.rank() == 3 ? call.q.size(2) / heads : 0;
  call.at_q = TokensOf(call.q, layout, dim);
  call.at_k = TokensOf(call.k, layout, dim);
  if (call.sequences) {
    call.at_q.batch = call.cumulative_q.count();
    call.at_k.batch = call.cumulative_k.count();
  } else {
    call.most_q = call.at_q.places;
    call.most_k = call.at_k.places;
  }
  CheckCall(call);
  return call;
}

struct Statistics {
  Tensor lse, greatest, sum;
};

struct Gradients {
  Tensor q, k, v;
};

// Customized forwards allocate their statistics: the arguments are where the handles go.
template <typename Args>
concept AllocatesStatistics = requires(const Args& a) {
  requires std::is_same_v<decltype(a.softmax_max), diopiTensorHandle_t*>;
};

template <typename Args>
Tensor OutputOf(const Args& a) {
  if constexpr (requires { a.attention_out; }) {
    return Tensor(a.attention_out);
  } else {
    return Tensor(a.out);
  }
}
template <typename Args>
Tensor GradientOf(const Args& a) {
  if constexpr (requires { a.grad_output; }) {
    return Tensor(a.grad_output);
  } else {
    return Tensor(a.grad_out);
  }
}
template <typename Args>
Statistics StatisticsOf(const Args& a) {
  if constexpr (requires { a.softmax_lse; }) {
    return {Tensor(a.softmax_lse), {}, {}};
  } else if constexpr (AllocatesStatistics<Args>) {
    return {{}, Tensor(*a.softmax_max), Tensor(*a.softmax_sum)};
  } else {
    return {{}, Tensor(a.softmax_max), Tensor(a.softmax_sum)};
  }
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_ATTENTION_ATTENTION_CALL_H_
