// The k and p of each sequence before sampling: setup_topk_runtime_args, setup_topp_runtime_args.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

inline constexpr int64_t kMaxTopK = 1024;

// One of k and p for all sequences, or each its own from the tensor. Out serves both: it is read, then
// written.
template <typename C>
struct KAndP {
  Out<int64_t> ks;
  Out<C> ps;
  int64_t k;
  C p;
  bool own_k, own_p;

  DIOPI_HD int64_t K(int64_t b) const {
    const int64_t given = own_k ? ks[b] : k;
    return given == 0 && P(b) == C(0) ? 1 : given;
  }
  DIOPI_HD C P(int64_t b) const { return own_p ? ps[b] : p; }
};

template <typename C>
DIOPI_HD C ClipToOne(const C& p) {
  return p < C(0) ? C(0) : p > C(1) ? C(1) : p;
}

template <typename C>
struct SetUpTopK {
  KAndP<C> values;
  Out<int64_t> skip;
  DIOPI_HD void operator()(int64_t b) const {
    const int64_t k = values.K(b);
    const C given = values.P(b), p = k > 0 && given == C(0) ? C(1) : given;
    values.ks.Set(b, k > kMaxTopK ? kMaxTopK : k);
    values.ps.Set(b, ClipToOne(p));
    skip.Set(b, k == 0 ? 1 : 0);
  }
};

template <typename C>
struct SetUpTopP {
  KAndP<C> values;
  Out<int64_t> skip, reset_ids;
  Out<C> initial, decays, minima;
  C decay, minimum;
  int64_t reset_id;
  DIOPI_HD void operator()(int64_t b) const {
    const int64_t k = values.K(b);
    const C p = ClipToOne(values.P(b));
    values.ks.Set(b, k);
    values.ps.Set(b, p);
    skip.Set(b, k > 0 ? 1 : 0);
    initial.Set(b, p);
    decays.Set(b, decay > C(1) || decay <= C(0) ? C(1) : decay);
    minima.Set(b, minimum > C(1) || minimum <= C(0) ? C(0.5) : minimum);
    reset_ids.Set(b, reset_id);
  }
};

template <typename C, typename Args>
KAndP<C> ValuesOf(const Args& a) {
  return {Out<int64_t>(a.top_ks),          Out<C>(a.top_ps),  a.top_k,
          C(static_cast<double>(a.top_p)), a.top_ks_size > 0, a.top_ps_size > 0};
}

template <typename Args>
void CheckBatch(const Args& a) {
  const Shape batch{a.batch_size};
  CheckShape(a.top_ks, batch, "top_ks");
  CheckShape(a.top_ps, batch, "top_ps");
  CheckShape(a.skip_decode, batch, "skip_decode");
}

}  // namespace

DIOPI_KERNEL(diopiSetupTopkRuntimeArgsInp, a) {
  CheckBatch(a);
  DispatchFloating(Tensor(a.top_ps).dtype(), [&]<typename C>() {
    ForEach(Queue(a.ctx), a.batch_size, SetUpTopK<C>{ValuesOf<C>(a), Out<int64_t>(a.skip_decode)});
  });
}

DIOPI_KERNEL(diopiSetupToppRuntimeArgsInp, a) {
  CheckBatch(a);
  DispatchFloating(Tensor(a.top_ps).dtype(), [&]<typename C>() {
    ForEach(Queue(a.ctx), a.batch_size,
            SetUpTopP<C>{ValuesOf<C>(a), Out<int64_t>(a.skip_decode), Out<int64_t>(a.top_p_reset_ids_buf),
                         Out<C>(a.initial_top_p_buf), Out<C>(a.top_p_decay_buf), Out<C>(a.top_p_min_buf),
                         C(static_cast<double>(a.top_p_decay)), C(static_cast<double>(a.top_p_min)),
                         a.top_p_reset_ids});
  });
}

}  // namespace diopi::ops::both
