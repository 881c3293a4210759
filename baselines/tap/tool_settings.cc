// Settings by the names that users of the public tools know, and ours. A setting that is wrong is reported by
// its name and switches off at least the tools that it concerns: calls are then forwarded untouched rather
// than watched by a guess.
#include "baselines/tap/tool_settings.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace diopi::tap {
namespace {

// A tool's functions: those of its lists without those of its disable list. A tool with a disable list alone
// watches all others.
struct Lists {
  Tool tool;
  std::vector<const char*> lists;
  const char* disable;
};
const Lists kLists[] = {
    {kCapture, {"OP_CAPTURE_LIST"}, "OP_CAPTURE_DISABLE_LIST"},
    {kCompare, {"OP_AUTOCOMPARE_LIST", "DIPU_AUTOCOMPARE_OPS_LIST"}, "OP_AUTOCOMPARE_DISABLE_LIST"},
    {kFallback, {"OP_FALLBACK_LIST", "DIPU_FORCE_FALLBACK_OPS_LIST"}, "OP_FALLBACK_DISABLE_LIST"},
    {kTime, {"OP_TIME_MEASURE_LIST"}, "OP_TIME_MEASURE_DISABLE_LIST"},
};

// A step of training ends with the optimiser's calls.
constexpr char kOptimizers[] = "diopiSgd,diopiAdam,diopiAdamW,diopiFusedAdamW,diopiAdadelta,diopiRmsprop";

constexpr int64_t kMostSteps = int64_t{1} << 40;

class Reader {
 public:
  Reader(const FindSetting& find, const FunctionTable& table, std::vector<std::string>* problems)
      : find_(find), table_(table), problems_(problems) {}

  void ReadLists(ToolSettings* settings) {
    for (const Lists& lists : kLists) {
      const std::vector<bool> watched = Watched(lists);
      for (size_t i = 0; i < watched.size(); ++i) {
        if (watched[i]) settings->tools[i] |= lists.tool;
      }
    }
  }

  // All functions get the tool when the setting is there.
  void WatchAllIf(const char* name, Tool tool, ToolSettings* settings) {
    if (find_(name) == nullptr) return;
    for (uint32_t& tools : settings->tools) tools |= tool;
  }

  bool Number(const char* name, int64_t least, int64_t most, int64_t* value) {
    const char* text = find_(name);
    if (text == nullptr) return true;
    int64_t number = 0;
    if (absl::SimpleAtoi(text, &number) && number >= least && number <= most) {
      *value = number;
      return true;
    }
    return Problem(name, absl::StrCat("is '", text, "'; expected an integer from ", least, " to ", most));
  }

  // "FIRST-LAST" or "FIRST-" or one number.
  bool Steps(const char* name, ToolSettings* settings) {
    const char* text = find_(name);
    if (text == nullptr) return true;
    const std::vector<std::string> ends = absl::StrSplit(text, absl::MaxSplits('-', 1));
    int64_t first = 0;
    int64_t last = std::numeric_limits<int64_t>::max();
    bool good = absl::SimpleAtoi(ends[0], &first) && first >= 0;
    if (ends.size() == 1) last = first;
    if (ends.size() == 2 && !ends[1].empty())
      good = good && absl::SimpleAtoi(ends[1], &last) && last >= first;
    if (!good) return Problem(name, absl::StrCat("is '", text, "'; expected FIRST-LAST, as in 10-20"));
    settings->first_step = first;
    settings->last_step = last;
    return true;
  }

  // "skip=1 wait=1 warmup=1 active=3 repeat=2", in any order.
  bool ReadSchedule(const char* name, Schedule* schedule) {
    const char* text = find_(name);
    if (text == nullptr) return true;
    const std::pair<const char*, int64_t*> parts[] = {{"skip", &schedule->skip},
                                                      {"wait", &schedule->wait},
                                                      {"warmup", &schedule->warmup},
                                                      {"active", &schedule->active},
                                                      {"repeat", &schedule->repeat}};
    for (const absl::string_view item : absl::StrSplit(text, absl::ByAnyChar(" ,"), absl::SkipEmpty())) {
      const std::pair<std::string, std::string> sides = absl::StrSplit(item, absl::MaxSplits('=', 1));
      const auto* part = std::find_if(std::begin(parts), std::end(parts),
                                      [&](const auto& each) { return sides.first == each.first; });
      if (part == std::end(parts) || !absl::SimpleAtoi(sides.second, part->second) || *part->second < 0 ||
          *part->second > kMostSteps) {
        *schedule = {};
        return Problem(
            name, absl::StrCat("has '", std::string(item),
                               "'; expected skip=, wait=, warmup=, active= or repeat= and a number up to ",
                               kMostSteps));
      }
    }
    if (schedule->active > 0) return true;
    return Problem(name, "has no active steps; expected active=N with N above 0");
  }

  std::vector<bool> Select(const char* name, const char* value, bool* good) {
    absl::StatusOr<std::vector<bool>> selected = table_.Select(value);
    if (selected.ok()) return *std::move(selected);
    *good = Problem(name, selected.status().message());
    return std::vector<bool>(table_.functions().size());
  }

  bool Problem(const char* name, absl::string_view what) {
    problems_->push_back(absl::StrCat(name, ": ", what));
    return false;
  }

 private:
  // A tool with a list that is wrong watches nothing.
  std::vector<bool> Watched(const Lists& lists) {
    std::vector<bool> watched(table_.functions().size());
    bool listed = false;
    bool good = true;
    for (const char* name : lists.lists) {
      const char* value = find_(name);
      if (value == nullptr) continue;
      listed = true;
      const std::vector<bool> selected = Select(name, value, &good);
      for (size_t i = 0; i < watched.size(); ++i) watched[i] = watched[i] || selected[i];
    }
    if (const char* value = find_(lists.disable); value != nullptr) {
      if (!listed) watched.assign(watched.size(), true);
      const std::vector<bool> disabled = Select(lists.disable, value, &good);
      for (size_t i = 0; i < watched.size(); ++i) watched[i] = watched[i] && !disabled[i];
    }
    if (!good) watched.assign(watched.size(), false);
    return watched;
  }

  const FindSetting& find_;
  const FunctionTable& table_;
  std::vector<std::string>* problems_;
};

void Forget(Tool tool, ToolSettings* settings) {
  for (uint32_t& tools : settings->tools) tools &= ~tool;
}

}  // namespace

bool Schedule::IsActive(int64_t step) const {
  if (active == 0) return true;
  const int64_t cycle = wait + warmup + active;
  const int64_t at = step - skip;
  if (at < 0 || (repeat > 0 && at / cycle >= repeat)) return false;
  return at % cycle >= wait + warmup;
}

bool ToolSettings::Any(Tool tool) const {
  return std::any_of(tools.begin(), tools.end(), [&](uint32_t bits) { return (bits & tool) != 0; });
}

ToolSettings ReadToolSettings(const FindSetting& find, const FunctionTable& table,
                              const std::string& tap_folder, std::vector<std::string>* problems) {
  ToolSettings settings;
  settings.tools.assign(table.functions().size(), 0);
  Reader reader(find, table, problems);
  const auto text = [&](const char* name, const std::string& otherwise) {
    const char* value = find(name);
    return value == nullptr ? otherwise : std::string(value);
  };
  reader.ReadLists(&settings);

  int64_t level = 0;
  reader.Number("DIPU_DUMP_OP_ARGS", 0, 3, &level);
  settings.dump_level = static_cast<int>(level);
  if (level > 0) reader.WatchAllIf("DIPU_DUMP_OP_ARGS", kDump, &settings);

  settings.trace_path = text("DIOPI_TAP_TRACE", "");
  if (!settings.trace_path.empty() && !settings.Any(kTime)) {
    reader.WatchAllIf("DIOPI_TAP_TRACE", kTime, &settings);
  }
  const std::string clock = text("DIOPI_TAP_CLOCK", "host");
  settings.device_clock = clock == "device";
  bool timed = reader.ReadSchedule("DIOPI_TAP_SCHEDULE", &settings.schedule);
  if (clock != "host" && clock != "device") {
    timed = reader.Problem("DIOPI_TAP_CLOCK", absl::StrCat("is '", clock, "'; expected host or device"));
  }
  if (!timed) Forget(kTime, &settings);

  settings.capture_folder = text("DIOPI_TAP_CAPTURE", "diopi-capture");
  bool good = reader.Number("DIOPI_TAP_CAPTURE_BYTES", 1, int64_t{1} << 60, &settings.capture_bytes);
  good = reader.Steps("DIOPI_TAP_STEPS", &settings) && good;
  int64_t every = 0;
  good = reader.Number("DIOPI_TAP_EVERY_CALL", 0, 1, &every) && good;
  settings.every_call = every == 1;
  if (!good) Forget(kCapture, &settings);

  good = reader.Number("DIOPI_TAP_COMPARE_BYTES", 1, int64_t{1} << 60, &settings.compare_bytes) && good;
  int64_t print = 0;
  good = reader.Number("DIOPI_TAP_PRINT_PASSES", 0, 1, &print) && good;
  settings.print_passes = print == 1;
  const std::vector<std::string> names =
      absl::StrSplit(text("DIOPI_TAP_CONTRACTS", ""), ',', absl::SkipEmpty());
  absl::StatusOr<baselines::DeclaredContracts> contracts = baselines::ParseContracts(names);
  if (contracts.ok()) {
    settings.contracts = *std::move(contracts);
  } else {
    good = reader.Problem("DIOPI_TAP_CONTRACTS", contracts.status().message());
  }
  if (!good) Forget(kCompare, &settings);

  int64_t memory = 0;
  reader.Number("DIOPI_TAP_MEMORY", 0, 1, &memory);
  if (memory == 1) reader.WatchAllIf("DIOPI_TAP_MEMORY", kMemory, &settings);

  settings.called_path = text("DIOPI_TAP_CALLED", "");
  reader.WatchAllIf("DIOPI_TAP_CALLED", kCalled, &settings);

  settings.reference = text("DIOPI_TAP_REFERENCE", tap_folder + "/libdiopi_cpu.so");
  settings.device_lib = text("DIOPI_TAP_DEVICE_LIB", "");
  settings.step_ends =
      reader.Select("DIOPI_TAP_STEP_ENDS", text("DIOPI_TAP_STEP_ENDS", kOptimizers).c_str(), &good);
  return settings;
}

}  // namespace diopi::tap
