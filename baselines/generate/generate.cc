// Processes share the work by operators: each goes through the same cases in the same order, and the next
// operator that nobody has claimed belongs to the process that reaches it first (Share). So no list is
// divided beforehand, and one process writes a file. A file is replaced as a whole: cases that are valid in
// the old one are carried over, also those that were not selected, so a partial run loses nothing.
#include "baselines/generate/generate.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "baselines/generate/shared_turns.h"
#include "cases/base/hash.h"
#include "cases/base/process_pool.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "cases/slices/slice_files.h"
#include "cases/slices/slices.h"

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
  ASSIGN_OR_RETURN(const std::string bytes,
                   ReadFile(options.library_path, std::numeric_limits<size_t>::max()));
  Provenance provenance;
  provenance.reference = options.reference;
  provenance.library = library.vendor_name();
  provenance.library_hash = Xxh128Hex(bytes);
  provenance.device = ProcessorName();
  provenance.versions = library.impl_version();
  provenance.created = absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone());
  return provenance;
}

// Whether its references take gigabytes, several times this many bytes of a tensor.
bool IsHeavy(const v1::Case& c) {
  constexpr int64_t kHeavy = int64_t{256} << 20;
  return slices::IsSliced(c) &&
         slices::MeasurePieces(c, slices::BuiltinSlices(c.function())).bytes() >= kHeavy;
}

// Copies a case with everything that is stored for it.
absl::Status Carry(const BaselineReader& reader, const std::string& id, BaselineWriter* writer) {
  ASSIGN_OR_RETURN(Baseline baseline, reader.Read(id));
  ASSIGN_OR_RETURN(baseline.c, reader.ReadCase(id));
  return writer->Add(baseline);
}

// One operator's new file: what `old` holds is carried over, the other cases are computed. Those that the
// reference cannot compute are left out and listed.
class GroupWriter {
 public:
  GroupWriter(const std::vector<const v1::Case*>& cases, const BaselineReader* old,
              loader::InProcessLibrary* library, SharedTurns* turns, GenerateSummary* summary)
      : cases_(cases), old_(old), library_(library), turns_(turns), summary_(summary) {}

  absl::Status Write(const std::string& path, const Provenance& provenance, bool force) {
    Provenance kept = provenance;  // what is carried over holds the device reference's outputs too
    if (old_ != nullptr) kept.device_reference = old_->provenance().device_reference;
    ASSIGN_OR_RETURN(std::unique_ptr<BaselineWriter> writer,
                     BaselineWriter::Create(path, cases_.front()->operator_(), kept));
    std::set<std::string> selected;
    int64_t computed = 0;
    for (const v1::Case* c : cases_) {
      selected.insert(c->id());
      const bool carried = !force && Holds(old_, *c) && Carry(*old_, c->id(), writer.get()).ok();
      RETURN_IF_ERROR(carried ? absl::OkStatus() : Compute(*c, writer.get(), &computed));
    }
    if (computed == 0 && old_ != nullptr) {  // what is missing, the reference cannot compute
      ++summary_->operators_up_to_date;
      return absl::OkStatus();
    }
    // Cases of the operator that were not selected.
    for (const std::string& id : old_ == nullptr ? std::vector<std::string>() : old_->case_ids()) {
      if (selected.count(id) != 0) continue;
      absl::Status status = Carry(*old_, id, writer.get());
      if (!status.ok() && status.code() != absl::StatusCode::kDataLoss) return status;
    }
    RETURN_IF_ERROR(writer->Commit());
    summary_->cases_written += computed;
    ++summary_->operators_written;
    return absl::OkStatus();
  }

 private:
  absl::Status Compute(const v1::Case& c, BaselineWriter* writer, int64_t* computed) {
    std::optional<SharedTurns::Turn> turn;
    if (turns_ != nullptr && IsHeavy(c)) turn.emplace(turns_);
    absl::StatusOr<Baseline> baseline = GenerateStored(*library_, c);
    if (!baseline.ok()) {
      const std::string why = absl::IsUnimplemented(baseline.status())
                                  ? absl::StrCat(c.function(), " has no reference: ")
                                  : std::string();
      summary_->failures.push_back(absl::StrCat(c.id(), ": ", why, baseline.status().message()));
      return absl::OkStatus();
    }
    ++*computed;
    return writer->Add(*baseline);
  }

  const std::vector<const v1::Case*>& cases_;
  const BaselineReader* old_;
  loader::InProcessLibrary* library_;
  SharedTurns* const turns_;  // null: there is one process
  GenerateSummary* summary_;
};

// An operator with its cases, in their order.
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

// Which operators this process makes. Every process comes by all operators in the same order, and `claimed`
// of them, the first ones, have a process: who comes by the next one first makes it.
class Share {
 public:
  explicit Share(std::atomic<size_t>* claimed) : claimed_(claimed) {}  // null: there is one process

  // A user's operator may have the name of a built-in one, and so the same file: both are one process's.
  bool Has(const std::string& operator_name) {
    const auto [known, fresh] = mine_.try_emplace(operator_name, false);
    size_t index = mine_.size() - 1;
    if (fresh) known->second = claimed_ == nullptr || claimed_->compare_exchange_strong(index, index + 1);
    return known->second;
  }

 private:
  std::atomic<size_t>* const claimed_;
  std::map<std::string, bool> mine_;
};

// An operator's name, cases written (kBegun: it is begun), cases in all.
using Progress = std::function<void(const std::string&, int64_t, int64_t)>;
constexpr int64_t kBegun = -1;

// What one process makes at the moment, for its errors.
class Current {
 public:
  void Follow(const Progress& progress, const std::string& name, int64_t written, int64_t cases) {
    name_ = written == kBegun ? name : "";
    if (written != kBegun && progress) progress(name, written, cases);
  }
  absl::Status Named(const absl::Status& status) const {
    if (status.ok() || name_.empty()) return status;
    return absl::Status(status.code(), absl::StrCat(name_, ": ", status.message()));
  }

 private:
  std::string name_;
};

class Generator {
 public:
  Generator(const GenerateOptions& options, std::unique_ptr<loader::InProcessLibrary> library,
            Provenance provenance)
      : options_(options), library_(std::move(library)), provenance_(std::move(provenance)) {}

  // One process at a time computes a case that takes gigabytes.
  void SetTurns(SharedTurns* turns) { turns_ = turns; }

  absl::StatusOr<GenerateSummary> Make(const CaseSource& source, Share share, const Progress& progress) {
    GenerateSummary summary;
    absl::Status status = source([&](const std::vector<v1::Case>& cases) {
      for (const Group& group : GroupByOperator(cases)) {
        if (!share.Has(group.operator_name)) continue;
        const int64_t before = summary.cases_written;
        const auto count = static_cast<int64_t>(group.cases.size());
        progress(group.operator_name, kBegun, count);
        RETURN_IF_ERROR(MakeGroup(group, &summary));
        progress(group.operator_name, summary.cases_written - before, count);
      }
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    return summary;
  }

 private:
  absl::Status MakeGroup(const Group& group, GenerateSummary* summary) const {
    const std::string path = BaselinePath(options_.data_folder, options_.reference, group.operator_name);
    const std::unique_ptr<BaselineReader> old = OpenUsable(path, provenance_);
    const bool up_to_date = std::all_of(group.cases.begin(), group.cases.end(),
                                        [&](const v1::Case* c) { return Holds(old.get(), *c); });
    if (!options_.force && up_to_date) {
      ++summary->operators_up_to_date;
      return absl::OkStatus();
    }
    return GroupWriter(group.cases, old.get(), library_.get(), turns_, summary)
        .Write(path, provenance_, options_.force);
  }

  const GenerateOptions& options_;
  std::unique_ptr<loader::InProcessLibrary> library_;
  Provenance provenance_;
  SharedTurns* turns_ = nullptr;
};

// What a child process returns.
ProcessPool::Fields ToFields(const GenerateSummary& made) {
  ProcessPool::Fields fields = {absl::StrCat(made.operators_written), absl::StrCat(made.operators_up_to_date),
                                absl::StrCat(made.cases_written)};
  fields.insert(fields.end(), made.failures.begin(), made.failures.end());
  return fields;
}

void AddFields(const ProcessPool::Fields& fields, GenerateSummary* all) {
  all->operators_written += std::stoll(fields.at(0));
  all->operators_up_to_date += std::stoll(fields.at(1));
  all->cases_written += std::stoll(fields.at(2));
  all->failures.insert(all->failures.end(), fields.begin() + 3, fields.end());
}

absl::StatusOr<GenerateSummary> MakeInProcesses(Generator* generator, const CaseSource& source,
                                                const GenerateOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<SharedTurns> turns, SharedTurns::Create());
  generator->SetTurns(turns.get());
  const auto work = [&](const ProcessPool::Fields& /*request*/,
                        const ProcessPool::Note& note) -> absl::StatusOr<ProcessPool::Fields> {
    const auto progress = [&note](const std::string& name, int64_t written, int64_t cases) {
      note(absl::StrCat(written, " ", cases, " ", name));
    };
    ASSIGN_OR_RETURN(const auto made, generator->Make(source, Share(turns->claimed()), progress));
    return ToFields(made);
  };
  ASSIGN_OR_RETURN(std::unique_ptr<ProcessPool> processes, ProcessPool::Start(options.jobs, work));
  std::vector<Current> children(static_cast<size_t>(options.jobs));
  GenerateSummary all;
  for (Current& child : children) {
    const auto add = [&all, &child](const absl::StatusOr<ProcessPool::Fields>& made) {
      if (made.ok()) AddFields(*made, &all);
      return child.Named(made.status());
    };
    const auto follow = [&options, &child](const std::string& note) {
      const std::vector<std::string> words = absl::StrSplit(note, absl::MaxSplits(' ', 2));
      child.Follow(options.progress, words.at(2), std::stoll(words.at(0)), std::stoll(words.at(1)));
    };
    RETURN_IF_ERROR(processes->Run({}, add, follow));
  }
  RETURN_IF_ERROR(processes->Wait());
  std::sort(all.failures.begin(), all.failures.end());  // the order of the processes' ends is chance
  return all;
}

}  // namespace

absl::StatusOr<GenerateSummary> Generate(const CaseSource& source, const GenerateOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<loader::InProcessLibrary> library,
                   loader::InProcessLibrary::Open(options.library_path));
  ASSIGN_OR_RETURN(Provenance provenance, MakeProvenance(options, *library));
  Generator generator(options, std::move(library), std::move(provenance));
  if (options.jobs > 1) return MakeInProcesses(&generator, source, options);
  Current current;
  absl::StatusOr<GenerateSummary> made =
      generator.Make(source, Share(nullptr), [&](const std::string& name, int64_t written, int64_t cases) {
        current.Follow(options.progress, name, written, cases);
      });
  if (!made.ok()) return current.Named(made.status());
  std::sort(made->failures.begin(), made->failures.end());
  return made;
}

absl::StatusOr<GenerateSummary> Generate(const std::vector<v1::Case>& cases, const GenerateOptions& options) {
  return Generate([&cases](VisitCases visit) { return visit(cases); }, options);
}

}  // namespace diopi::baselines
