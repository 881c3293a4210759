// What makes two runs comparable: the identity of a run. Runs of one variant should agree in every verdict;
// where they do not, something is flaky. Everything else that a run records describes it and never separates.
//
// Identity, and why:
//   chip              the hardware that is judged
//   vendor, version   what the library calls itself; one file may serve two back ends under two names
//   dialect           which ABI's calling rules were used with it
//   library's SHA-256 the code that is judged: another build is another result
//   suite hash        the cases, by content: two runs over other cases are not one experiment
//   contracts         the arithmetic that the device declares (tf32, fastconv, ...): they widen tolerances
//   environment       the variables of the device profile, names and values: they may switch arithmetic
//   adaptor           its rules, of the profile and of modes (--four-bytes, --nhwc): the library is handed
//                     other types and layouts, and computes otherwise
// Not identity, and why:
//   host, paths, user, sandbox, device index  where it ran: a chip that fails on one device alone is what
//   flaky
//                                             means, and must show as that
//   dates, run id, state                      when
//   repeat, order (seed), shards, workers     how often and in which order: an answer must not depend on it
//   timeout                                   a limit on the machine's time, not arithmetic
//   agent's version, reference's provenance   ours, the judge's: a verdict that changes with them is reported
//                                             (diff.h, `comparable`), but not as another library
// Variables that the agent itself was started with reach the library as well and are not recorded, so they
// cannot separate runs: state in the profile what switches a vendor's arithmetic.
#ifndef REPORTS_MODEL_VARIANT_H_
#define REPORTS_MODEL_VARIANT_H_

#include <string>

#include "server/store/queries.h"

namespace diopi::reports {

// 8 hex digits over the identity.
std::string VariantOf(const server::RunFacts& run);

// The same without the suite hash: with a case's own hash, what makes two verdicts of one case comparable,
// also where one run had all cases and the other a few.
std::string LibraryVariantOf(const server::RunFacts& run);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_VARIANT_H_
