#include "reports/render/machine.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace diopi::reports {
namespace {

// "NVIDIA H100 80GB HBM3, driver 550.54.15, 79.6 GiB, limit 700 W, up to 1980 MHz, memory up to 2619 MHz"
std::string GpuText(const v1::Machine::Gpu& gpu, const Translator& t) {
  std::vector<std::string> parts = {gpu.name()};
  const auto number = [](double value) { return absl::StrFormat("%.6g", value); };
  if (!gpu.driver().empty()) parts.push_back(t("driver $0", gpu.driver()));
  if (gpu.memory_mib() > 0)
    parts.push_back(absl::StrFormat("%.1f GiB", static_cast<double>(gpu.memory_mib()) / 1024));
  if (gpu.power_limit_w() > 0) parts.push_back(t("power limit $0 W", number(gpu.power_limit_w())));
  if (gpu.clock_mhz() > 0) parts.push_back(t("clock up to $0 MHz", number(gpu.clock_mhz())));
  if (gpu.memory_clock_mhz() > 0)
    parts.push_back(t("memory clock up to $0 MHz", number(gpu.memory_clock_mhz())));
  return absl::StrJoin(parts, t.Separator());
}

}  // namespace

std::vector<std::pair<std::string, std::string>> MachineRows(const v1::Machine& machine,
                                                             const Translator& t) {
  std::vector<std::pair<std::string, std::string>> rows;
  const auto add = [&rows](std::string name, std::string value) {
    if (!value.empty()) rows.emplace_back(std::move(name), std::move(value));
  };
  add(t("Operating system"), machine.system());
  add(t("Kernel"), machine.kernel());
  std::string processor = machine.processor();
  if (machine.processors() > 0) {
    absl::StrAppend(&processor, processor.empty() ? "" : t.Separator(),
                    t("$0 hardware thread|$0 hardware threads", machine.processors()));
  }
  add(t("Processor"), processor);
  if (machine.memory_bytes() > 0)
    add(t("Main memory"),
        absl::StrFormat("%.1f GiB", static_cast<double>(machine.memory_bytes()) / (1 << 30)));
  // Equal neighbours are one row.
  for (int i = 0; i < machine.gpus_size();) {
    const std::string text = GpuText(machine.gpus(i), t);
    int count = 0;
    for (; i < machine.gpus_size() && GpuText(machine.gpus(i), t) == text; ++i) ++count;
    add("GPU", count == 1 ? text : absl::StrFormat("%d x %s", count, text));
  }
  return rows;
}

}  // namespace diopi::reports
