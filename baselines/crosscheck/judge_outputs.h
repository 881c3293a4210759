// Judges outputs that another program computed like those of a device, as ./run crosscheck --native does with
// PyTorch.
#ifndef BASELINES_CROSSCHECK_JUDGE_OUTPUTS_H_
#define BASELINES_CROSSCHECK_JUDGE_OUTPUTS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::baselines {

struct JudgeOutputsOptions {
  std::string data_folder;  // its baselines were made with the CPU reference
  // Two files. FOLDER/outputs.bin has the elements of all tensors. FOLDER/outputs.tsv has a line for each
  // tensor: case, key, dtype, sizes separated by commas (none: 0-d), and its first byte in outputs.bin. The
  // lines of a case must be consecutive, and so must the cases of an operator.
  std::string folder;
};

// Judges every case in outputs.tsv. NotFound, DataLoss and InvalidArgument name the file and the line.
absl::Status JudgeOutputs(const JudgeOutputsOptions& options,
                          const std::function<void(const v1::Verdict&)>& visit);

}  // namespace diopi::baselines

#endif  // BASELINES_CROSSCHECK_JUDGE_OUTPUTS_H_
