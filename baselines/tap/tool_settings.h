// What the settings ask of the tools, checked.
#ifndef BASELINES_TAP_TOOL_SETTINGS_H_
#define BASELINES_TAP_TOOL_SETTINGS_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "baselines/compare/contract.h"
#include "baselines/tap/functions.h"

namespace diopi::tap {

// Tools that may watch a function, as bits.
enum Tool : uint32_t {
  kDump = 1,
  kTime = 2,
  kCapture = 4,
  kCompare = 8,
  kFallback = 16,
  kMemory = 32,
  kCalled = 64,
};

// Which steps of a training run are measured, as a profiler's schedule: after `skip` steps, cycles of `wait`
// steps that are ignored, `warmup` steps that are ignored too, and `active` ones; `repeat` cycles, 0: until
// the end. active 0: every step.
struct Schedule {
  int64_t skip = 0;
  int64_t wait = 0;
  int64_t warmup = 0;
  int64_t active = 0;
  int64_t repeat = 0;

  bool IsActive(int64_t step) const;
};

struct ToolSettings {
  std::vector<uint32_t> tools;  // by function: bits of Tool
  std::vector<bool>
      step_ends;  // by function: a step ends with a run of their calls; the optimisers by default

  int dump_level = 0;  // 1 names, 2 arguments, 3 values

  std::string trace_path;     // a trace in Chrome's format; empty: none
  Schedule schedule;          // of the time tool
  bool device_clock = false;  // times by the device's clock, where it can be had

  std::string capture_folder;                // one file per call
  int64_t capture_bytes = int64_t{1} << 30;  // of all files together
  bool every_call = false;                   // capture and compare each call, not the first of each signature
  int64_t first_step = 0;                    // capture and compare only in these steps
  int64_t last_step = std::numeric_limits<int64_t>::max();

  int64_t compare_bytes = int64_t{64} << 20;  // calls with more are not compared
  bool print_passes = false;                  // also the comparisons that pass
  baselines::DeclaredContracts contracts;

  std::string reference;    // libdiopi_cpu.so
  std::string device_lib;   // a second library, with the device functions; empty: none
  std::string called_path;  // gets the name of each function that is called

  bool Any(Tool tool) const;
  bool InSteps(int64_t step) const { return step >= first_step && step <= last_step; }
};

// `find` gives a setting's value, or null. Each problem is a line of `problems`, which names the setting; the
// tool that it concerns is then off, so that calls are forwarded untouched.
using FindSetting = std::function<const char*(const char*)>;
ToolSettings ReadToolSettings(const FindSetting& find, const FunctionTable& table,
                              const std::string& tap_folder, std::vector<std::string>* problems);

}  // namespace diopi::tap

#endif  // BASELINES_TAP_TOOL_SETTINGS_H_
