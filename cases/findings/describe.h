// The texts of a verdict that are made of its findings: the reason, the likely cause with its explanations,
// and the detail of each output. They are made when the verdict is built and again when it is read, and are
// not stored, so the database declares each fact once. A verdict without findings (most pass; agents up to
// 0.9 recorded texts alone) keeps its texts.
#ifndef CASES_FINDINGS_DESCRIBE_H_
#define CASES_FINDINGS_DESCRIBE_H_

#include <string>
#include <vector>

#include "cases/findings/finding_text.h"
#include "diopi/v1/profile.pb.h"
#include "diopi/v1/run.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi {

// Whether texts are made of this verdict's findings.
bool HasFindings(const v1::Verdict& verdict);

// Fills the texts, in English.
void Describe(v1::Verdict* verdict);

// Why the server aborted the run by itself, and what the workers dropped. Empty: it did not, and unknown.
v1::Finding AbortReason(const v1::RunOptions& options);
v1::Finding SandboxOf(const v1::RunOptions& options);

// The rules of a run's adaptor, each as a line of English, which is part of the library's variant.
std::vector<std::string> AdaptorLines(const v1::RunProfile& profile);

// Clears the texts that Describe makes again.
void ClearDescription(v1::Verdict* verdict);

// The same for the texts of a run: sandbox, abort_reason and the adaptor's lines.
void Describe(v1::RunOptions* options);
void ClearDescription(v1::RunOptions* options);

// The reason and the likely cause in a language; of a verdict without findings, its own texts.
std::string ReasonText(const v1::Verdict& verdict, FindingLanguage language);
std::string LikelyCauseText(const v1::Verdict& verdict, FindingLanguage language);

}  // namespace diopi

#endif  // CASES_FINDINGS_DESCRIBE_H_
