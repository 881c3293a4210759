// The identity of a run, which makes two runs comparable. Runs of one variant should agree in every verdict;
// where they do not, something is flaky. Everything else that a run records only describes it.
//
// Identity, and why:
//   chip              the hardware that is judged
//   vendor, version   what the library calls itself; one file may serve two back ends under two names
//   dialect           which ABI's calling rules were used with it
//   library's SHA-256 the code that is judged: another build is another result
//   suite hash        the cases, by content: two runs over other cases are not one experiment
//   contracts         the arithmetic that the device declares (tf32, fastconv, ...): they widen tolerances
//   environment       the variables of the device profile, names and values: they may switch arithmetic
//   adaptor           its rules, from the profile and modes (--four-bytes, --nhwc): the library gets other
//                     types and layouts, and computes differently
// Not identity, and why:
//   host, paths, user, sandbox, device index  where it ran: a chip that fails on only one device is flaky,
//                                             and must show as flaky
//   dates, run id, state                      when
//   repeat, order (seed), shards, workers     how often and in which order: an answer must not depend on it
//   timeout                                   a limit on the machine's time, not arithmetic
//   agent's version, reference's provenance   the judge's: a verdict that changes with them is reported
//                                             (diff.h, `comparable`), but not as another library
// The agent's own environment variables reach the library as well but are not recorded, so they cannot
// separate runs: put variables that switch a vendor's arithmetic into the profile.
#ifndef REPORTS_MODEL_VARIANT_H_
#define REPORTS_MODEL_VARIANT_H_

#include <string>

#include "server/store/queries.h"

namespace diopi::reports {

// 8 hex digits over the identity.
std::string VariantOf(const server::RunFacts& run);

// The same without the suite hash. Together with a case's own hash it makes two verdicts of one case
// comparable, even when one run had all cases and the other a few.
std::string LibraryVariantOf(const server::RunFacts& run);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_VARIANT_H_
