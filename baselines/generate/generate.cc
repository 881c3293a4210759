#include "baselines/generate/generate.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cases/base/hash.h"
#include "cases/core/slices.h"

namespace diopi::baselines {
namespace {

// The operator's present file; null when it cannot be read or another build of the library made it, so that
// nothing in it is worth keeping.
std::unique_ptr<BaselineReader> OpenUsable(const std::string& path, const Provenance& provenance) {
  absl::StatusOr<std::unique_ptr<BaselineReader>> reader = BaselineReader::Open(path);
  if (!reader.ok() || (*reader)->provenance().library_hash != provenance.library_hash) return nullptr;
  return *std::move(reader);
}

// Readings are not part of a case's hash.
bool HasReadingsOf(const BaselineReader& reader, const v1::Case& c) {
  if (c.readings().empty()) return true;
  const absl::StatusOr<v1::Case> stored = reader.ReadCase(c.id());
  return stored.ok() && std::equal(c.readings().begin(), c.readings().end(), stored->readings().begin(),
                                   stored->readings().end(), [](const v1::Reading& a, const v1::Reading& b) {
                                     return a.SerializeAsString() == b.SerializeAsString();
                                   });
}

bool Holds(const BaselineReader* reader, const v1::Case& c) {
  return reader != nullptr && reader->HashOf(c.id()) == c.hash() && HasReadingsOf(*reader, c);
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

// Copies a case with everything that is stored for it.
absl::Status Carry(const BaselineReader& reader, const std::string& id, BaselineWriter* writer) {
  absl::StatusOr<Baseline> baseline = reader.Read(id);
  if (!baseline.ok()) return baseline.status();
  absl::StatusOr<v1::Case> c = reader.ReadCase(id);
  if (!c.ok()) return c.status();
  baseline->c = *std::move(c);
  return writer->Add(*baseline);
}

// One operator's new file: what `old` holds is carried over, the other cases are computed. Those that the
// reference cannot compute are left out and listed.
class GroupWriter {
 public:
  GroupWriter(const std::vector<const v1::Case*>& cases, const BaselineReader* old,
              loader::InProcessLibrary* library, GenerateSummary* summary)
      : cases_(cases), old_(old), library_(library), summary_(summary) {}

  absl::Status Write(const std::string& path, const Provenance& provenance, bool force) {
    Provenance kept = provenance;  // what is carried over holds the device reference's outputs too
    if (old_ != nullptr) kept.device_reference = old_->provenance().device_reference;
    absl::StatusOr<std::unique_ptr<BaselineWriter>> writer =
        BaselineWriter::Create(path, cases_.front()->operator_(), kept);
    if (!writer.ok()) return writer.status();
    std::set<std::string> selected;
    int64_t computed = 0;
    for (const v1::Case* c : cases_) {
      selected.insert(c->id());
      const bool carried = !force && Holds(old_, *c) && Carry(*old_, c->id(), writer->get()).ok();
      absl::Status status = carried ? absl::OkStatus() : Compute(*c, writer->get(), &computed);
      if (!status.ok()) return status;
    }
    if (computed == 0 && old_ != nullptr) {  // what is missing, the reference cannot compute
      ++summary_->operators_up_to_date;
      return absl::OkStatus();
    }
    // Cases of the operator that were not selected.
    for (const std::string& id : old_ == nullptr ? std::vector<std::string>() : old_->case_ids()) {
      if (selected.count(id) != 0) continue;
      absl::Status status = Carry(*old_, id, writer->get());
      if (!status.ok() && status.code() != absl::StatusCode::kDataLoss) return status;
    }
    absl::Status status = (*writer)->Commit();
    if (!status.ok()) return status;
    summary_->cases_written += computed;
    ++summary_->operators_written;
    return absl::OkStatus();
  }

 private:
  absl::Status Compute(const v1::Case& c, BaselineWriter* writer, int64_t* computed) {
    absl::StatusOr<Baseline> baseline = GenerateCase(*library_, c);
    if (!baseline.ok()) {
      const std::string why = absl::IsUnimplemented(baseline.status())
                                  ? absl::StrCat(c.function(), " has no reference: ")
                                  : std::string();
      summary_->failures.push_back(absl::StrCat(c.id(), ": ", why, baseline.status().message()));
      return absl::OkStatus();
    }
    ++*computed;
    if (cases::IsLarge(c)) baseline->inputs.clear();  // whoever needs them makes them
    return writer->Add(*baseline);
  }

  const std::vector<const v1::Case*>& cases_;
  const BaselineReader* old_;
  loader::InProcessLibrary* library_;
  GenerateSummary* summary_;
};

// What a child process returns.
ProcessPool::Fields ToFields(const GenerateSummary& made) {
  ProcessPool::Fields fields = {absl::StrCat(made.operators_written), absl::StrCat(made.operators_up_to_date),
                                absl::StrCat(made.cases_written)};
  fields.insert(fields.end(), made.failures.begin(), made.failures.end());
  return fields;
}

GenerateSummary FromFields(const ProcessPool::Fields& fields) {
  GenerateSummary made;
  made.operators_written = std::stoll(fields.at(0));
  made.operators_up_to_date = std::stoll(fields.at(1));
  made.cases_written = std::stoll(fields.at(2));
  made.failures.assign(fields.begin() + 3, fields.end());
  return made;
}

}  // namespace

Generator::Generator(GenerateOptions options, std::unique_ptr<loader::InProcessLibrary> library,
                     Provenance provenance)
    : options_(std::move(options)), library_(std::move(library)), provenance_(std::move(provenance)) {
  if (options_.jobs > 1) processes_ = std::make_unique<ProcessPool>(options_.jobs);
}

absl::StatusOr<Generator> Generator::Open(const GenerateOptions& options) {
  absl::StatusOr<std::unique_ptr<loader::InProcessLibrary>> library =
      loader::InProcessLibrary::Open(options.library_path);
  if (!library.ok()) return library.status();
  absl::StatusOr<Provenance> provenance = MakeProvenance(options, **library);
  if (!provenance.ok()) return provenance.status();
  return Generator(options, *std::move(library), *std::move(provenance));
}

// In the order in which they came.
struct Generator::Group {
  std::string operator_name;
  std::vector<const v1::Case*> cases;
};

std::vector<Generator::Group> Generator::GroupByOperator(const std::vector<v1::Case>& cases) {
  std::vector<Group> groups;
  for (const v1::Case& c : cases) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& each) { return each.operator_name == c.operator_(); });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{c.operator_(), {}});
    group->cases.push_back(&c);
  }
  return groups;
}

absl::StatusOr<GenerateSummary> Generator::MakeGroup(const Group& group) const {
  GenerateSummary summary;
  const std::string path = BaselinePath(options_.data_folder, options_.reference, group.operator_name);
  const std::unique_ptr<BaselineReader> old = OpenUsable(path, provenance_);
  const bool up_to_date = std::all_of(group.cases.begin(), group.cases.end(),
                                      [&](const v1::Case* c) { return Holds(old.get(), *c); });
  if (!options_.force && up_to_date) {
    ++summary.operators_up_to_date;
    return summary;
  }
  absl::Status status =
      GroupWriter(group.cases, old.get(), library_.get(), &summary).Write(path, provenance_, options_.force);
  if (!status.ok()) return status;
  return summary;
}

void Generator::Add(const GenerateSummary& made, const std::string& name, int64_t cases) {
  summary_.operators_written += made.operators_written;
  summary_.operators_up_to_date += made.operators_up_to_date;
  summary_.cases_written += made.cases_written;
  summary_.failures.insert(summary_.failures.end(), made.failures.begin(), made.failures.end());
  if (options_.progress) options_.progress(name, made.cases_written, cases);
}

absl::Status Generator::Make(const std::vector<v1::Case>& cases) {
  for (const Group& group : GroupByOperator(cases)) {
    const auto count = static_cast<int64_t>(group.cases.size());
    if (processes_ == nullptr) {
      const absl::StatusOr<GenerateSummary> made = MakeGroup(group);
      if (!made.ok()) return made.status();
      Add(*made, group.operator_name, count);
      continue;
    }
    // A user's operator may have the name of a built-in one, and so the same file.
    absl::Status status = started_.insert(group.operator_name).second ? absl::OkStatus() : processes_->Wait();
    if (!status.ok()) return status;
    status = processes_->Run(
        [&]() -> absl::StatusOr<ProcessPool::Fields> {
          const absl::StatusOr<GenerateSummary> made = MakeGroup(group);
          if (!made.ok()) return made.status();
          return ToFields(*made);
        },
        [this, name = group.operator_name, count](const absl::StatusOr<ProcessPool::Fields>& made) {
          if (!made.ok()) {
            return absl::Status(made.status().code(), absl::StrCat(name, ": ", made.status().message()));
          }
          Add(FromFields(*made), name, count);
          return absl::OkStatus();
        });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<GenerateSummary> Generator::Finish() {
  absl::Status status = processes_ == nullptr ? absl::OkStatus() : processes_->Wait();
  if (!status.ok()) return status;
  std::sort(summary_.failures.begin(),
            summary_.failures.end());  // the order of the processes' ends is chance
  return summary_;
}

absl::StatusOr<GenerateSummary> Generate(const std::vector<v1::Case>& cases, const GenerateOptions& options) {
  absl::StatusOr<Generator> generator = Generator::Open(options);
  if (!generator.ok()) return generator.status();
  absl::Status status = generator->Make(cases);
  if (!status.ok()) return status;
  return generator->Finish();
}

}  // namespace diopi::baselines
