// Totals of the trials, and the tables that show them.
#ifndef CLIENT_PROOF_TALLY_H_
#define CLIENT_PROOF_TALLY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client/proof/injected_library.h"
#include "client/proof/trial.h"

namespace diopi::proof {

// All trials of one injected bug or correct variant.
struct Record {
  int64_t verdicts = 0;  // of calls that were made: implemented and not skipped
  int64_t caught = 0;    // of these, not a pass
  int64_t public_caught = 0;
  std::string first_case;  // the first that caught it, in the suite's order of ids
  std::string first_gates;
  std::string first_reason;
  std::map<std::string, int64_t> gates;  // how often each combination of gates caught it
  std::vector<std::string> alarms;       // "CASE (seed 2): reason", at most 5
};

class Tally {
 public:
  explicit Tally(std::vector<Injected> injected)
      : injected_(std::move(injected)), records_(injected_.size()) {}

  // Not thread-safe.
  void Add(const Trial& trial);
  // Adds another library's records after these.
  void Append(const Tally& other);

  const std::vector<Injected>& injected() const { return injected_; }
  const std::vector<Record>& records() const { return records_; }
  int64_t Caught() const;        // bugs of which at least one verdict was not a pass
  int64_t PublicCaught() const;  // likewise by the public rule
  int64_t Verdicts() const;
  int64_t Alarms() const;  // verdicts
  int64_t PublicAlarms() const;

  // One line per bug: name, number in the catalogue, gates, the first case that caught it, how many cases
  // caught it, and how many by the public rule. Then the bugs that were not caught, with their texts.
  std::string BugTable() const;
  // One line per variant: name, contracts, verdicts, alarms by our rule and by the public rule.
  std::string VariantTable() const;

 private:
  std::vector<Injected> injected_;
  std::vector<Record> records_;
};

}  // namespace diopi::proof

#endif  // CLIENT_PROOF_TALLY_H_
