// All tools of the tap, and what each call goes through.
#ifndef BASELINES_TAP_TOOLBOX_H_
#define BASELINES_TAP_TOOLBOX_H_

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "baselines/tap/capture.h"
#include "baselines/tap/comparison.h"
#include "baselines/tap/functions.h"
#include "baselines/tap/host_runtime.h"
#include "baselines/tap/live_call.h"
#include "baselines/tap/memory_table.h"
#include "baselines/tap/time_table.h"
#include "baselines/tap/tool_settings.h"
#include "baselines/tap/trace_file.h"
#include "impl_loader/tap/interface.h"

namespace diopi::tap {

// Thread-safe. Lives until the process ends.
class Toolbox {
 public:
  // Reads the settings. Null, after messages, when no tool is left on. FailedPrecondition when the host lacks
  // a runtime function that a tool needs.
  static absl::StatusOr<std::unique_ptr<Toolbox>> Make(const TapHost& host);

  bool Watches(int index) const;
  int32_t Intercept(const Call& call);
  // Prints the tables and ends the files. Call it once, when the process ends.
  void Finish();

 private:
  struct Passage;  // a call on its way through the tools

  Toolbox(HostRuntime runtime, std::unique_ptr<FunctionTable> table, ToolSettings settings,
          std::string library);
  absl::Status Start(const TapHost& host);
  int64_t CountStep(int index);
  bool IsNew(const std::string& signature);
  void Name(Passage* passage);
  void Prepare(Passage* passage);
  void GiveUp(Passage* passage, const absl::Status& why);
  bool FallBack(Passage* passage, int32_t* code);
  int32_t Forward(Passage* passage);
  void AddTime(const Passage& passage, bool by_device);
  void Record(Passage* passage, int32_t code);
  void Compare(Passage* passage, const TensorMap& outputs);
  void Capture(Passage* passage, const TensorMap& outputs);
  void LogOnce(const std::string& text);
  void Dump(const Passage& passage) const;

  const HostRuntime runtime_;
  const std::unique_ptr<FunctionTable> table_;
  const ToolSettings settings_;
  const std::string library_;
  const TensorMemory memory_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  std::atomic<int64_t> order_{0};
  TimeTable times_;
  std::unique_ptr<TraceFile> trace_;  // null: none
  MemoryTable memory_table_;
  ComparisonTable comparisons_;
  Reference reference_;
  CaptureFolder capture_;
  std::atomic<int64_t> fallen_back_{0};

  std::mutex mutex_;  // of what follows
  int64_t step_ = 0;
  bool step_ending_ = false;
  std::set<std::string> signatures_;
  std::set<std::string> logged_;
  std::vector<bool> called_;
  std::FILE* called_file_ = nullptr;
};

}  // namespace diopi::tap

#endif  // BASELINES_TAP_TOOLBOX_H_
