// How the inputs of large cases are made: by another version of the generator than all others' (fill.h).
//
// A tensor of more than kPoolElements elements is filled in blocks of kBlockElements. Each block is copied
// from a place at random in a pool, which the ordinary generator fills under the same key. So filling takes
// hardly longer than copying, any slice can still be computed alone, and a block nearly never equals another
// one. Fills whose values depend on their places (values, range, permutation), and smaller tensors, are as in
// all other cases.
#ifndef CASES_FILL_BLOCK_FILL_H_
#define CASES_FILL_BLOCK_FILL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/tensor.pb.h"

namespace diopi {

// Case.generator_version of such cases.
inline constexpr uint32_t kBlockGeneratorVersion = 2;

inline constexpr int64_t kPoolElements = int64_t{1} << 16;
inline constexpr int64_t kBlockElements = 512;

// A tensor that is filled in blocks. Any part of it can be made alone, hardly more slowly than it is copied.
// Not thread-safe.
class BlockTensor {
 public:
  // Null where the tensor is not filled in blocks. Elements that share storage count once. `key` is
  // GeneratorKey(case, argument); `spec` need not outlive the call. InvalidArgument as FillTensor.
  static absl::StatusOr<std::unique_ptr<BlockTensor>> Open(const v1::TensorSpec& spec, uint64_t key);

  int64_t bytes() const { return count_ * element_; }
  Dtype dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_; }

  // Puts the bytes from `begin` on, row-major, to `to`. Both are multiples of the element's size.
  void Write(int64_t begin, int64_t bytes, void* to) const;
  // Whether `data` holds the bytes that Write puts there.
  bool Holds(int64_t begin, int64_t bytes, const void* data) const;
  HostTensor Whole() const;

  // The elements that blocks are copied from. Computing them takes a millisecond, so a process can pass them
  // on.
  std::string_view Pool() const;
  size_t pool_bytes() const { return static_cast<size_t>((kPoolElements + kBlockElements) * element_); }
  // Copies from another process's pool of the same tensor, which must outlive this object. False: it has
  // another size, and is not used.
  bool UsePool(std::string_view pool);

 private:
  BlockTensor() = default;
  BlockTensor(const BlockTensor&) = delete;
  // Shows where the pool has the bytes from `begin` on, block by block, until `visit` returns false.
  bool VisitBlocks(int64_t begin, int64_t bytes,
                   absl::FunctionRef<bool(int64_t at, const char* pool, size_t bytes)> visit) const;

  Dtype dtype_ = v1::Dtype::unsupported;
  std::vector<int64_t> shape_;
  v1::Fill fill_;
  Dtype part_ = v1::Dtype::unsupported;  // of a number; complex elements have two
  uint64_t key_ = 0;
  int64_t count_ = 0;    // of numbers
  int64_t slice_ = 0;    // numbers in a row
  int64_t element_ = 0;  // bytes of a number
  std::vector<std::pair<int64_t, double>> specials_;
  bool low_payload_ = false;
  mutable std::string own_pool_;  // made for the first Write or Holds
  mutable std::string_view pool_;
};

}  // namespace diopi

#endif  // CASES_FILL_BLOCK_FILL_H_
