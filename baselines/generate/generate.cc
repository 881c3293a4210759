#include "baselines/generate/generate.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cases/core/hash.h"

namespace diopi::baselines {
namespace {

// The cases of one operator, in the order in which they came.
struct Group {
  std::string operator_name;
  std::vector<const v1::Case*> cases;
};

std::vector<Group> GroupByOperator(const std::vector<v1::Case>& cases) {
  std::vector<Group> groups;
  for (const v1::Case& c : cases) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& each) { return each.operator_name == c.operator_(); });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{c.operator_(), {}});
    group->cases.push_back(&c);
  }
  return groups;
}

// True when the file holds every case with its hash. A file that cannot be read is made anew.
bool IsUpToDate(const Group& group, const std::string& path) {
  absl::StatusOr<std::unique_ptr<BaselineReader>> reader = BaselineReader::Open(path);
  if (!reader.ok()) return false;
  return std::all_of(group.cases.begin(), group.cases.end(),
                     [&](const v1::Case* c) { return (*reader)->HashOf(c->id()) == c->hash(); });
}

std::string ProcessorName() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    if (absl::StartsWith(line, "model name")) {
      return std::string(absl::StripAsciiWhitespace(line.substr(line.find(':') + 1)));
    }
  }
  return "unknown processor";
}

absl::StatusOr<Provenance> MakeProvenance(const GenerateOptions& options,
                                          const loader::InProcessLibrary& library) {
  std::ifstream file(options.library_path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrCat(options.library_path, ": cannot be read"));
  Provenance provenance;
  provenance.reference = options.reference;
  provenance.library = library.vendor_name();
  provenance.library_hash = Xxh128Hex(bytes.str());
  provenance.device = ProcessorName();
  provenance.versions = library.impl_version();
  provenance.created = absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone());
  return provenance;
}

// Writes one operator's file; cases that the reference cannot compute are left out and listed.
absl::Status WriteGroup(const Group& group, const std::string& path, const Provenance& provenance,
                        loader::InProcessLibrary& library, GenerateSummary* summary) {
  absl::StatusOr<std::unique_ptr<BaselineWriter>> writer =
      BaselineWriter::Create(path, group.operator_name, provenance);
  if (!writer.ok()) return writer.status();
  int64_t written = 0;
  for (const v1::Case* c : group.cases) {
    absl::StatusOr<Baseline> baseline = GenerateCase(library, *c);
    if (!baseline.ok()) {
      summary->failures.push_back(absl::StrCat(c->id(), ": ", baseline.status().message()));
      continue;
    }
    const absl::Status status = (*writer)->Add(*baseline);
    if (!status.ok()) return status;
    ++written;
  }
  const absl::Status status = (*writer)->Commit();
  if (!status.ok()) return status;
  summary->cases_written += written;
  ++summary->operators_written;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GenerateSummary> Generate(const std::vector<v1::Case>& cases, const GenerateOptions& options) {
  absl::StatusOr<std::unique_ptr<loader::InProcessLibrary>> library =
      loader::InProcessLibrary::Open(options.library_path);
  if (!library.ok()) return library.status();
  absl::StatusOr<Provenance> provenance = MakeProvenance(options, **library);
  if (!provenance.ok()) return provenance.status();
  GenerateSummary summary;
  for (const Group& group : GroupByOperator(cases)) {
    const std::string path = BaselinePath(options.data_folder, options.reference, group.operator_name);
    const int64_t before = summary.cases_written;
    if (!options.force && IsUpToDate(group, path)) {
      ++summary.operators_up_to_date;
    } else {
      const absl::Status status = WriteGroup(group, path, *provenance, **library, &summary);
      if (!status.ok()) return status;
    }
    if (options.progress) {
      options.progress(group.operator_name, summary.cases_written - before,
                       static_cast<int64_t>(group.cases.size()));
    }
  }
  return summary;
}

}  // namespace diopi::baselines
