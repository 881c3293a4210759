#include "client/proof/tally.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace diopi::proof {
namespace {

constexpr size_t kMaxAlarms = 5;

// The combination of gates that caught most.
std::string MostFrequent(const std::map<std::string, int64_t>& gates) {
  const auto most = std::max_element(gates.begin(), gates.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == gates.end() ? "-" : most->first;
}

template <typename Value>
int64_t Sum(const std::vector<Record>& records, Value value) {
  return std::accumulate(records.begin(), records.end(), int64_t{0},
                         [&](int64_t sum, const Record& record) { return sum + value(record); });
}

size_t Widest(const std::vector<Injected>& injected) {
  size_t width = 6;
  for (const Injected& each : injected) width = std::max(width, each.name.size());
  return width;
}

}  // namespace

void Tally::Add(const Trial& trial) {
  const v1::Outcome outcome = trial.verdict.outcome();
  if (outcome == v1::OUTCOME_NOT_IMPLEMENTED || outcome == v1::OUTCOME_UNSUPPORTED_DTYPE) return;
  Record& record = records_[trial.injected];
  ++record.verdicts;
  if (trial.public_rule_fails) ++record.public_caught;
  if (outcome == v1::OUTCOME_PASS) return;
  ++record.caught;
  const std::string gates = GatesOf(trial.verdict);
  ++record.gates[gates];
  const std::string& id = trial.verdict.case_id();
  if (record.first_case.empty() || id < record.first_case) {
    record.first_case = id;
    record.first_gates = gates;
    record.first_reason = trial.verdict.reason();
  }
  if (record.alarms.size() < kMaxAlarms) {
    record.alarms.push_back(
        absl::StrCat(id, " (seed ", trial.seed, ", gate ", gates, "): ", trial.verdict.reason()));
  }
}

void Tally::Append(const Tally& other) {
  injected_.insert(injected_.end(), other.injected_.begin(), other.injected_.end());
  records_.insert(records_.end(), other.records_.begin(), other.records_.end());
}

int64_t Tally::Caught() const {
  return Sum(records_, [](const Record& record) { return record.caught > 0 ? 1 : 0; });
}
int64_t Tally::PublicCaught() const {
  return Sum(records_, [](const Record& record) { return record.public_caught > 0 ? 1 : 0; });
}
int64_t Tally::Verdicts() const {
  return Sum(records_, [](const Record& record) { return record.verdicts; });
}
int64_t Tally::Alarms() const {
  return Sum(records_, [](const Record& record) { return record.caught; });
}
int64_t Tally::PublicAlarms() const {
  return Sum(records_, [](const Record& record) { return record.public_caught; });
}

std::string Tally::BugTable() const {
  const int width = static_cast<int>(Widest(injected_));
  std::string out = absl::StrFormat("%-*s  %3s  %-8s  %11s  %11s  %s\n", width, "bug", "no.", "gate",
                                    "caught by", "public rule", "first case");
  std::string missed;
  for (size_t i = 0; i < injected_.size(); ++i) {
    const Injected& injected = injected_[i];
    const Record& record = records_[i];
    absl::StrAppend(
        &out,
        absl::StrFormat("%-*s  %3s  %-8s  %4d of %4d  %4d of %4d  %s\n", width, injected.name,
                        injected.catalogue > 0 ? absl::StrCat(injected.catalogue) : "",
                        MostFrequent(record.gates), record.caught, record.verdicts, record.public_caught,
                        record.verdicts, record.first_case.empty() ? "-" : record.first_case));
    if (record.caught == 0)
      absl::StrAppend(&missed, "not caught: ", injected.name, ": ", injected.text, "\n");
  }
  return out + missed;
}

std::string Tally::VariantTable() const {
  const int width = static_cast<int>(Widest(injected_));
  std::string out = absl::StrFormat("%-*s  %-10s  %8s  %6s  %12s\n", width, "variant", "contract", "verdicts",
                                    "alarms", "public rule");
  std::string alarms;
  for (size_t i = 0; i < injected_.size(); ++i) {
    const Record& record = records_[i];
    absl::StrAppend(&out, absl::StrFormat("%-*s  %-10s  %8d  %6d  %12d\n", width, injected_[i].name,
                                          absl::StrJoin(injected_[i].contracts, ","), record.verdicts,
                                          record.caught, record.public_caught));
    for (const std::string& alarm : record.alarms) {
      absl::StrAppend(&alarms, "false alarm: ", injected_[i].name, ": ", alarm, "\n");
    }
  }
  return out + alarms;
}

}  // namespace diopi::proof
