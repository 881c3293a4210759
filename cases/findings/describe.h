// The texts of a verdict that are made of its findings: the reason, the likely cause with its explanations,
// and the detail of each output. They are made where people or files of a public format need them, and are
// neither sent nor stored, so a verdict that has findings has one declaration of each fact. A verdict without
// findings (most: they pass; or an agent up to 0.9 judged it) keeps the texts that it has.
#ifndef CASES_FINDINGS_DESCRIBE_H_
#define CASES_FINDINGS_DESCRIBE_H_

#include <string>

#include "cases/findings/finding_text.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi {

// Fills the texts, in English.
void Describe(v1::Verdict* verdict);

// Clears the texts that Describe makes again.
void ClearDescription(v1::Verdict* verdict);

// The reason and the likely cause in a language; of a verdict without findings, its own texts.
std::string ReasonText(const v1::Verdict& verdict, FindingLanguage language);
std::string LikelyCauseText(const v1::Verdict& verdict, FindingLanguage language);

}  // namespace diopi

#endif  // CASES_FINDINGS_DESCRIBE_H_
