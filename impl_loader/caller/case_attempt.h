// The calls of one case, for the parts of CaseRunner.
#ifndef IMPL_LOADER_CALLER_CASE_ATTEMPT_H_
#define IMPL_LOADER_CALLER_CASE_ATTEMPT_H_

#include <cstdint>
#include <optional>

#include "impl_loader/caller/case_runner.h"

namespace diopi::loader {

struct CaseRunner::Attempt {
  const abi::Function& function;
  void* symbol;
  CallFrame* frame;
  RunResult* result;
  const RunOptions* options;
  runtime::Arena::Mark host_mark;
  runtime::Arena::Mark device_mark;
  Findings findings;
  double seconds = 0;  // of the last call
  bool held = false;   // its inputs arrived late
  // While the outputs of a call are taken after which nobody needs them: what the next call finds there.
  std::optional<uint8_t> next_poison = std::nullopt;
  bool unhashed = false;  // while outputs are taken whose hashes nobody needs
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_CASE_ATTEMPT_H_
