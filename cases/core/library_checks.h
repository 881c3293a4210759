// The checks of a library as a whole, which show what no case of an operator can show. They are cases, so
// that runs cover them, agents lease them and reports count them like any other, but without tensors and
// baselines. A check that tests one function of the ABI names it as its function and counts as its case; the
// others have none. The worker implements them (impl_loader/caller/library_check.h).
#ifndef CASES_CORE_LIBRARY_CHECKS_H_
#define CASES_CORE_LIBRARY_CHECKS_H_

#include <vector>

#include "diopi/v1/case.pb.h"

namespace diopi::cases {

// Their operator. No operator's file may have this name.
inline constexpr char kLibraryOperator[] = "library";

// Whether `c` is one of them: "library.LABEL".
bool IsLibraryCheck(const v1::Case& c);

// All of them, in the order in which they should run, those that identify the library first. Their dtype is
// that of the matrices that some of them multiply.
std::vector<v1::Case> LibraryChecks();

}  // namespace diopi::cases

#endif  // CASES_CORE_LIBRARY_CHECKS_H_
