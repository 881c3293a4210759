// diopi-draw DATA COUNT SEED [NAME...]: the calls that diopi-agent --explore COUNT --seed SEED begins with,
// of the operators and functions named or of all, with their references. Writes
// DATA/baselines/cpu/OPERATOR.h5, and DATA/cases/CASE.textproto for each call. Calls that the reference
// refuses are left out. Prints how many there are.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "baselines/generate/oracle_pool.h"
#include "baselines/store/store.h"
#include "cases/base/process_pool.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "cases/explore/generator.h"
#include "cases/user/operator_text.h"

namespace diopi::baselines {
namespace {

constexpr size_t kBytesPerOracle = size_t{1} << 30;
constexpr int kUnit = 16;  // calls whose references one process computes

struct DrawOptions {
  std::string data, library;
  int count = 0;
  uint64_t seed = 0;
  std::vector<std::string> names;
};

absl::Status WriteCase(const std::string& folder, const explore::Call& call) {
  const std::string text =
      cases::OperatorText(cases::OnePointFile(*call.op, call.point, call.c.function(), call.c.dtype()));
  return cases::WriteFileWhole(absl::StrCat(folder, "/cases/", call.c.id(), ".textproto"), text);
}

absl::Status WriteBaselines(const std::string& folder, const std::string& op,
                            const std::vector<Baseline>& list) {
  Provenance provenance;
  provenance.reference = "cpu";
  ASSIGN_OR_RETURN(
      std::unique_ptr<BaselineWriter> writer,
      BaselineWriter::Create(absl::StrCat(folder, "/baselines/cpu/", op, ".h5"), op, provenance));
  for (const Baseline& baseline : list) {
    RETURN_IF_ERROR(writer->Add(baseline));
  }
  return writer->Commit();
}

// Maps each operator to the baselines of its calls, in their order.
absl::StatusOr<std::map<std::string, std::vector<Baseline>>> Compute(const std::vector<explore::Call>& calls,
                                                                     OraclePool* oracle) {
  std::vector<absl::StatusOr<Baseline>> computed(calls.size(), absl::UnknownError("not computed"));
  for (size_t begin = 0; begin < calls.size(); begin += kUnit) {
    std::vector<v1::Case> unit;
    for (size_t i = begin; i < std::min(begin + kUnit, calls.size()); ++i) unit.push_back(calls[i].c);
    absl::Status status =
        oracle->Compute(std::move(unit), [&computed, begin](size_t place, absl::StatusOr<Baseline> baseline) {
          computed[begin + place] = std::move(baseline);
        });
    if (!status.ok()) return status;
  }
  RETURN_IF_ERROR(oracle->Wait());
  std::map<std::string, std::vector<Baseline>> by_operator;
  for (absl::StatusOr<Baseline>& baseline : computed) {
    if (baseline.ok()) by_operator[baseline->c.operator_()].push_back(*std::move(baseline));
  }
  return by_operator;
}

absl::StatusOr<size_t> Draw(const DrawOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<cases::Catalog> catalog, cases::Catalog::LoadBuiltin());
  v1::Selection selection;
  for (const std::string& name : options.names) selection.add_functions(name);
  explore::GeneratorOptions generator_options;
  generator_options.seed = options.seed;
  ASSIGN_OR_RETURN(const std::unique_ptr<explore::Generator> generator,
                   explore::Generator::Make(*catalog, selection, generator_options));
  ASSIGN_OR_RETURN(std::unique_ptr<OraclePool> oracle,
                   OraclePool::Open(options.library, ProcessesFor(kBytesPerOracle)));
  const std::vector<explore::Call> calls = generator->Next(options.count);
  ASSIGN_OR_RETURN(const auto baselines, Compute(calls, oracle.get()));
  size_t written = 0;
  for (const auto& [op, list] : baselines) {
    RETURN_IF_ERROR(WriteBaselines(options.data, op, list));
    written += list.size();
  }
  for (const explore::Call& call : calls) {
    RETURN_IF_ERROR(WriteCase(options.data, call));
  }
  return written;
}

}  // namespace
}  // namespace diopi::baselines

int main(int argc, char** argv) {
  diopi::baselines::DrawOptions options;
  const bool usable = argc >= 4 && absl::SimpleAtoi(argv[2], &options.count) && options.count > 0 &&
                      absl::SimpleAtoi(argv[3], &options.seed);
  if (!usable) {
    std::cerr << "usage: diopi-draw DATA COUNT SEED [NAME...]\n";
    return 2;
  }
  options.data = argv[1];
  options.names.assign(argv + 4, argv + argc);
  std::error_code error;
  const std::filesystem::path program = std::filesystem::canonical("/proc/self/exe", error);
  options.library = (program.parent_path() / "../lib/libdiopi_cpu.so").string();
  const absl::StatusOr<size_t> written = diopi::baselines::Draw(options);
  if (written.ok()) {
    std::cout << *written << "\n";
    return 0;
  }
  std::cerr << "diopi-draw: " << written.status().message() << "\n";
  return 3;
}
