// Classes of operands beyond their layouts and digits: what they hold together, their order in memory and
// their types. Part of argument_classes.h.
#ifndef CASES_CORE_OPERAND_CLASSES_H_
#define CASES_CORE_OPERAND_CLASSES_H_

#include <functional>
#include <string>

#include "cases/core/argument_classes.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

using VisitClass = std::function<void(ArgumentClass key, bool has, bool may)>;

inline bool IsOfOperand(int id) {
  return id == kDetour || id > kPayload;
}

// Visits the classes of the argument that the case has or may have.
void VisitOperand(const v1::FunctionRules& rules, const v1::Case& c, const v1::Argument& arg,
                  const VisitClass& visit);

// As Change, for IsOfOperand(id).
void ChangeOperand(const v1::Case& c, const v1::Argument& arg, int id, v1::Point* point);

// Whether the fill names infinities or NaN, or NaN of a low payload.
bool HasNonFinite(const v1::Fill& fill);
bool HasPayload(const v1::Fill& fill);

}  // namespace diopi::cases

#endif  // CASES_CORE_OPERAND_CLASSES_H_
