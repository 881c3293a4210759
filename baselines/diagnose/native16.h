// The results of real 16-bit evaluations of a case for the contract native16: sums in blocks, in pairs, in
// lanes, and in pairs with NaN for a sum that overflows in some order. An overflow is allowed where one of
// them overflows.
#ifndef BASELINES_DIAGNOSE_NATIVE16_H_
#define BASELINES_DIAGNOSE_NATIVE16_H_

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::baselines {

// Thread-safe. The library, libdiopi_native16.so, is opened for the first case that needs it; if that fails,
// nothing is ever added, and no overflow is allowed.
class Native16 {
 public:
  explicit Native16(std::string library_path) : library_path_(std::move(library_path)) {}

  // `references` with KEY.native16, KEY.native16_pairwise, KEY.native16_lanes and
  // KEY.native16_cautious for each of their outputs; unchanged where the
  // case's dtype does not have 16 bits.
  TensorMap AddTo(const v1::Case& c, const TensorMap& inputs, const TensorMap& references);

 private:
  void Open() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string library_path_;
  std::mutex mutex_;
  bool opened_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<loader::InProcessLibrary> library_ ABSL_GUARDED_BY(mutex_);
  void (*choose_sums_)(const char* order) ABSL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace diopi::baselines

#endif  // BASELINES_DIAGNOSE_NATIVE16_H_
