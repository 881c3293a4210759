// The wording of figures, shared by several formats.
#ifndef REPORTS_RENDER_MEASUREMENTS_H_
#define REPORTS_RENDER_MEASUREMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "reports/document/language.h"
#include "reports/model/report.h"

namespace diopi::reports {

// Every outcome, in display order.
absl::Span<const v1::Outcome> OutcomeOrder();

// "1 case", "2 cases".
std::string CountOf(int64_t count, const char* one, const char* many);

// "99.99 %", rounded down: 99.999 % is not 100 %. "-" when `whole` is 0.
std::string Percent(int64_t part, int64_t whole);

// The headline: "130 of 538 functions pass (24.16 %)".
std::string PassingText(const v1::Coverage& coverage);
// The line below it: "376 exported, 132 tested of 138 with cases, 130 passing".
std::string CoverageText(const v1::Coverage& coverage);
// "305 of 841 cases (36.26 %); unsupported_dtype 536": the library computed a result, or owed one; and why it
// was not called in the others, which NotCalledText has alone: "; unsupported_dtype 536".
std::string CalledText(const RunReport& report, const Translator& t = English());
std::string NotCalledText(const RunReport& report, const Translator& t = English());
// "300 of 305 called cases pass (98.36 %)".
std::string CorrectText(const v1::Correctness& correctness);

// A group of failures: "453 cases of abs, add, cos and 40 more (float16, bfloat16)", or the id of a single
// case.
std::string GroupText(const FailureGroup& group);
// "through the adaptor: input float64 as float32"; empty without the adaptor.
std::string AdaptedText(const v1::Verdict& verdict, const Translator& t = English());
// What is said of a group, a line each: its cause, what separates its cases from those that pass, its example
// with the reason where that says more than the cause, and what the example reveals.
std::vector<std::string> GroupLines(const FailureGroup& group);
// "935 cases in 24 groups"; "none".
std::string FailuresText(const RunReport& report);

// The duration of the case with all calls and checks, or of its last call where that was not measured.
double Seconds(const v1::Verdict& verdict);

// "tf32, ftz (observed: subnormal results are flushed to zero)"; "none declared".
std::string BadgeText(const RunReport& report, const Translator& t = English());

// "533 of 660 failures would pass under native16: bfloat16 453, float16 80", one line per contract that the
// device does not declare and that would change a verdict.
std::vector<std::string> ContractLines(const RunReport& report);

// The variables that the run's device profile set for the library, NAME=VALUE, each on one line.
std::vector<std::string> EnvironmentLines(const v1::RunOptions& options);
// The run's labels, KEY=VALUE, sorted.
std::vector<std::string> LabelLines(const v1::RunOptions& options);

// "waiver chip.textproto:8 until 2026-12-31, 3 cases waived: operator conv2d: slow units (https://...)", one
// line per waiver, which also says when the waiver has expired.
std::vector<std::string> WaiverLines(const RunReport& report);

// "pass, 0.00 % differ", for the worst output; "-" where no numbers were judged.
std::string PublicText(const v1::Verdict& verdict);

// "3 of 40 verdicts differently: 2 failed only our rule, 1 failed only the public rule".
std::string PublicRuleText(const RunReport& report, const Translator& t = English());

// One line without its end: "out: gates P,R; rms z 3.1, max z 12 at 7, bias 0.2; max 4 ulp; grade B, 1.7
// times the device reference's error; public rule: pass, 0.05 % differ".
std::string OutputText(const v1::OutputStats& stats);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_MEASUREMENTS_H_
