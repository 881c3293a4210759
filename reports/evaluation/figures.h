// How figures are written that may not have been measured: never as zero, never as a pass. Private to this
// folder.
#ifndef REPORTS_EVALUATION_FIGURES_H_
#define REPORTS_EVALUATION_FIGURES_H_

#include <cstdint>
#include <string>
#include <utility>

#include "reports/document/document.h"
#include "reports/evaluation/evaluation.h"

namespace diopi::reports {

Text NotMeasured(const Translator& t, const std::string& why = "");

// "12 of 40 (30.00 %)"; "not measured" when `whole` is 0.
Text OutOf(int64_t part, int64_t whole, const Translator& t);

// "A 3, B 0, C 1, D 0".
std::string GradeText(const Grades& grades);

// Labs compare with NVIDIA; where another device's outputs were used, names that device.
std::string DeviceReference(const RunReport& report, const Translator& t);

// The product's name, or the chip's where no specification names the product.
std::string ChipName(const EvaluationInput& input, const Translator& t);

inline std::string Or(std::string text, std::string otherwise) {
  return text.empty() ? std::move(otherwise) : std::move(text);
}

}  // namespace diopi::reports

#endif  // REPORTS_EVALUATION_FIGURES_H_
