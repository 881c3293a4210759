// The pairs of rows that the offsets of a sparse kernel connect: indicePairs is (offsets, 2, places), and the
// first indiceNum[i] numbers of its two lists for offset i are the pairs.
#ifndef BASELINES_OPS_SPARSE_CONVOLUTION_PAIRS_H_
#define BASELINES_OPS_SPARSE_CONVOLUTION_PAIRS_H_

#include "baselines/ops/both.h"

namespace diopi::ops::both {

struct Pairs {
  int64_t offsets = 0, places = 0;
  In<int64_t> rows, counts;
  bool inverse = false;
  int64_t rows_in = 0, rows_out = 0;
  bool same_places = false;  // _subM: the offset with the most pairs connects each row with itself

  DIOPI_HD int64_t Count(int64_t offset) const {
    if (same_places && offset == Centre()) return rows_in;
    return counts[offset] < places ? counts[offset] : places;
  }
  DIOPI_HD int64_t From(int64_t offset, int64_t pair) const {
    return same_places && offset == Centre() ? pair : rows[(2 * offset + (inverse ? 1 : 0)) * places + pair];
  }
  DIOPI_HD int64_t To(int64_t offset, int64_t pair) const {
    return same_places && offset == Centre() ? pair : rows[(2 * offset + (inverse ? 0 : 1)) * places + pair];
  }
  DIOPI_HD bool Connects(int64_t offset, int64_t pair) const {
    const int64_t from = From(offset, pair), to = To(offset, pair);
    return from >= 0 && from < rows_in && to >= 0 && to < rows_out;
  }

 private:
  DIOPI_HD int64_t Centre() const {
    int64_t most = 0;
    for (int64_t i = 1; i < offsets; ++i) {
      if (counts[i] > counts[most]) most = i;
    }
    return most;
  }
};

inline Pairs PairsOf(const Tensor& pairs, const Tensor& counts, int64_t rows_in, int64_t rows_out) {
  Check(pairs.rank() == 3 && pairs.size(1) == 2, "expected indicePairs of shape (offsets, 2, places), got ",
        ShapeText(pairs.shape()));
  CheckShape(counts, {pairs.size(0)}, "indiceNum");
  Pairs of;
  of.offsets = pairs.size(0);
  of.places = pairs.size(2);
  of.rows = In<int64_t>(pairs);
  of.counts = In<int64_t>(counts);
  of.rows_in = rows_in;
  of.rows_out = rows_out;
  return of;
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_SPARSE_CONVOLUTION_PAIRS_H_
