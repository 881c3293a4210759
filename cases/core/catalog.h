// All operators' files, checked and expanded into cases.
#ifndef CASES_CORE_CATALOG_H_
#define CASES_CORE_CATALOG_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/core/model_cases.h"
#include "cases/core/model_file.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"
#include "diopi/v1/selection.pb.h"

namespace diopi::cases {

// Parses one operator's file and checks all that can be checked without expanding: unknown functions and
// arguments (against proto/abi), missing or doubled labels, missing `reveals`, missing shape rules.
// InvalidArgument with "FILE:LINE: what is wrong, what was expected".
absl::StatusOr<v1::OperatorFile> ParseOperatorFile(std::string_view text, std::string_view file_name);

// Every case of one operator, in file order (grid, point, dtype, function). InvalidArgument, naming file,
// line where known, point and function, for shapes that do not broadcast, points that no function takes, and
// two cases with one id.
absl::StatusOr<std::vector<v1::Case>> Expand(const v1::OperatorFile& op, std::string_view file_name);

// The suites of operators: "core", which has every case, then "smoke", a part of it that takes about a
// minute, in which each function has every point in one of its dtypes and, from each cover, a class of every
// group and every dtype.
const std::vector<std::string>& SuiteNames();

// "models/NAME", the suite of the calls of one model; NAME may be a list of globs: "models/resnet*,vit".
inline constexpr char kModelSuites[] = "models/";

// The options of diopi-cli gen that select the same cases: {"--fname", "add", "--dtype", "int32"}.
std::vector<std::string> SelectionOptions(const v1::Selection& selection);

// The operators built into the program (every cases/ops/**/*.textproto at build time), and a user's own
// (cases/user). Thread-safe: immutable after construction.
class Catalog {
 public:
  static absl::StatusOr<std::unique_ptr<Catalog>> LoadBuiltin();
  // The same with `more`, which must have been checked and whose cases need new ids; a file of `more` may
  // have the name of a built-in operator.
  static absl::StatusOr<std::unique_ptr<Catalog>> LoadBuiltinWith(std::vector<v1::OperatorFile> more);
  // For tests.
  static absl::StatusOr<std::unique_ptr<Catalog>> FromFiles(std::vector<v1::OperatorFile> files);

  const std::vector<v1::OperatorFile>& operators() const { return operators_; }

  // The models that have a suite, by name. Their texts live as long as the program.
  const std::vector<ModelText>& models() const { return models_; }

  // The names of the models that a suite "models/..." names. NotFound for a model that has no suite, with the
  // nearest names.
  absl::StatusOr<std::vector<std::string>> ModelsOf(const std::string& suite) const;

  // Calls `visit` with each call of the selected models and its cases, of which equal calls have the same;
  // the functions, cases and dtypes of the selection do not narrow them. NotFound for a model that has no
  // suite, with the nearest names.
  using VisitCall = absl::FunctionRef<absl::Status(const Model&, const ModelCall&, CallCases)>;
  absl::Status VisitModels(const v1::Selection& selection, VisitCall visit) const;

  // The functions of the ABI that have cases: those of the operators, and those that a check of the library
  // as a whole tests.
  std::set<std::string> Functions() const;

  // The cases of a selection in catalog order, expanding only the operators it names. NotFound for a
  // function or case pattern that matches nothing, with the nearest known names; InvalidArgument for an
  // unknown suite.
  absl::StatusOr<std::vector<v1::Case>> Select(const v1::Selection& selection) const;

  // What a run of the selection covers: the checks of the library as a whole (library_checks.h) that it
  // names, which no reference can compute, and then the cases of Select.
  absl::StatusOr<std::vector<v1::Case>> SelectRun(const v1::Selection& selection) const;

  // Like Select and SelectRun, for callers that need not hold all cases, which take hundreds of MiB: `visit`
  // gets the cases of one operator's file at a time, or one by one. An error of `visit` ends it. Unknown
  // suites and functions are found before the first visit, patterns of cases that match nothing after the
  // last.
  using VisitOperator = absl::FunctionRef<absl::Status(std::vector<v1::Case>)>;
  absl::Status VisitOperators(const v1::Selection& selection, VisitOperator visit) const;
  using Visit = absl::FunctionRef<void(v1::Case)>;
  absl::Status VisitRun(const v1::Selection& selection, Visit visit) const;
  // The same for a caller that may lose interest: `go_on` is asked before each operator's file and each call
  // of a model, and its error ends the visit. A whole suite takes seconds.
  using GoOn = absl::FunctionRef<absl::Status()>;
  absl::Status VisitRun(const v1::Selection& selection, Visit visit, GoOn go_on) const;

  // Hash over the ids and hashes of `cases`, in any order: 32 hex digits.
  static std::string SuiteHash(const std::vector<v1::Case>& cases);

 private:
  struct Used;
  absl::Status VisitUsing(const v1::Selection& selection, Used* used, VisitOperator visit, GoOn go_on) const;
  absl::Status CheckSuite(const std::string& suite) const;
  absl::StatusOr<std::vector<const ModelText*>> FindModels(const std::string& suite) const;
  absl::Status VisitCalls(const v1::Selection& selection,
                          absl::FunctionRef<bool(const std::string&)> takes_operator, VisitCall visit) const;
  absl::StatusOr<std::map<std::string, std::vector<v1::Case>>> ModelCases(
      const v1::Selection& selection, const std::set<std::string>& operators, GoOn go_on) const;
  std::vector<v1::Case> SelectChecks(const v1::Selection& selection, Used* used) const;

  std::vector<v1::OperatorFile> operators_;
  std::vector<v1::Case> library_checks_;  // of the catalog that is built in
  std::vector<ModelText> models_;         // likewise
  std::vector<ModelText> model_parts_;    // that they use
};

// Catalog::SuiteHash without holding the cases.
class SuiteHasher {
 public:
  void Add(const std::string& id, const std::string& hash);
  std::string Finish() &&;

 private:
  std::vector<std::string> lines_;
};

}  // namespace diopi::cases

#endif  // CASES_CORE_CATALOG_H_
