// --failure-debug-level: writes the arguments of failed cases to files.
#ifndef CLIENT_AGENT_FAILURE_DUMP_H_
#define CLIENT_AGENT_FAILURE_DUMP_H_

#include <cstdint>
#include <mutex>
#include <string>

#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::agent {

// Writes FOLDER/CASE/case.txt, which has the arguments with their dtypes, shapes, strides and attributes, and
// the verdict. At level 2 also writes FOLDER/CASE/input.KEY.npy, actual.KEY.npy and reference.KEY.npy for
// numpy (bfloat16 as uint16). Writes at most `max_cases` cases, and at most `max_bytes` of tensors of each;
// case.txt lists what was left out. Thread-safe.
class FailureDump {
 public:
  struct Options {
    int level = 0;  // 0: writes nothing
    std::string folder;
    int max_cases = 200;
    int64_t max_bytes = 64 << 20;
  };
  explicit FailureDump(const Options& options) : options_(options) {}

  // Writes a verdict that is a failure and ignores others. Reports the first write error on standard error.
  void Add(const v1::Case& c, const TensorMap& inputs, const TensorMap& references, const TensorMap& actual,
           const v1::Verdict& verdict);

  // Whether Add would write tensors for this verdict.
  bool Takes(const v1::Verdict& verdict) const;

  // Cases written, and failures that came after max_cases.
  int written() const;
  int left_out() const;

 private:
  const Options options_;
  mutable std::mutex mutex_;
  int written_ = 0;
  int left_out_ = 0;
  bool reported_ = false;
};

// The bytes of a .npy file (format 1.0) of a dense tensor.
std::string NpyBytes(const HostTensor& tensor);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_FAILURE_DUMP_H_
