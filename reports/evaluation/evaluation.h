// The evaluation of a chip: a run's figures as labs publish them. Only measured figures exist; the others are
// absent here and "not measured" in the document.
#ifndef REPORTS_EVALUATION_EVALUATION_H_
#define REPORTS_EVALUATION_EVALUATION_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diopi/v1/spec.pb.h"
#include "reports/document/document.h"
#include "reports/model/model_support.h"
#include "reports/model/report.h"
#include "reports/model/suite.h"
#include "reports/performance/performance.h"

namespace diopi::reports {

// Coverage of a header or a family.
struct GroupCoverage {
  std::string name;
  int64_t functions = 0;    // the ABI's in this header; the suite's in this family
  int64_t implemented = 0;  // exported and not answered with NoImplement
  int64_t in_suite = 0;     // that have cases in the suite
  int64_t tested = 0;       // called at least once in this run
  int64_t passing = 0;      // of these, those whose called cases all passed
};

// Cases by grade relative to the device reference's error (v1::OutputStats.grade); a case has its worst
// output's grade.
struct Grades {
  std::array<int64_t, 4> counts = {};  // A, B, C, D
  int64_t graded() const { return counts[0] + counts[1] + counts[2] + counts[3]; }
};

struct OperatorResult {
  std::string op;
  std::string family;
  int64_t cases = 0;
  int64_t called = 0;
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t not_implemented = 0;
  int64_t waived = 0;
  Grades grades;
};

// One operator's times beside the reference run's, over cases that passed in both runs and whose time was
// measured.
struct OperatorTime {
  std::string op;
  int64_t cases = 0;
  double chip_us = 0;  // sums over these cases
  double reference_us = 0;
  double ratio = 0;  // geometric mean of chip time over reference time
};

// A model that the chip ran: the newest run of its whole suite, which need not be the evaluated run.
struct ModelResult {
  std::string name;
  v1::ModelCell cell;
};

// Who publishes the report; what is empty is left out.
struct Publication {
  std::string lab;
  std::string author;
  std::string version;  // of the report
};

// The file with every failure that goes with the report.
struct Attachment {
  std::string name;       // empty: there is none
  std::string sha256;     // in hex
  bool embedded = false;  // in the report's file, not beside it
};

// Cases by their largest error.
struct ErrorBin {
  double up_to = 0;  // and above the bin before; the last bin's is infinite
  int64_t passed = 0;
  int64_t failed = 0;
};

// The cases that have outputs of one dtype, each counted once, by its worst output of that dtype. Empty: no
// output of this dtype has such an error.
struct DtypeErrors {
  v1::Dtype::Code dtype = v1::Dtype::float32;
  std::vector<ErrorBin> ulp;  // v1::OutputStats.max_ulp, in units in the last place of the dtype
  std::vector<ErrorBin> z;    // v1::OutputStats.max_z, over the noise of the formula
};

struct EvaluationInput {
  RunReport report;
  std::optional<v1::ChipSpec> spec;
  std::optional<RunReport> reference;  // a run of the reference chip over the same cases, for times
  SuiteIndex suite;
  std::vector<ModelResult> models;  // by name
  // The newest run of the same library that measured its calls, which may be the evaluated run.
  std::optional<PerformanceReport> performance;
  Publication publication;
  Attachment failures;
  std::string generated;  // when the document was made, RFC 3339
  std::string tool_version;
};

struct Evaluation {
  EvaluationInput input;
  std::vector<GroupCoverage> headers;            // in header order
  std::vector<GroupCoverage> families;           // by name
  std::vector<OperatorResult> operators;         // by family, then name
  Grades grades;                                 // of all cases
  std::vector<DtypeErrors> errors;               // by dtype; empty: no numbers were compared
  std::map<v1::Outcome, int64_t> without_error;  // failures that `errors` lacks
  std::vector<OperatorTime> times;               // by operator; empty: nothing was measured
};

Evaluation Evaluate(EvaluationInput input);

// The models of one chip, for the input.
std::vector<ModelResult> ModelsOf(const v1::ModelsPage& page, const std::string& chip);

// Every failure, with its cause and the command that repeats it, for the attachment.
Table FailureTable(const RunReport& report);

// The cover, the contents, and the sections in document.cc.
Document EvaluationDocument(const Evaluation& evaluation, Language language = Language::kEnglish);

}  // namespace diopi::reports

#endif  // REPORTS_EVALUATION_EVALUATION_H_
