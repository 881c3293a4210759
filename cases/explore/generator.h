// Random valid calls of many functions, without end.
#ifndef CASES_EXPLORE_GENERATOR_H_
#define CASES_EXPLORE_GENERATOR_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/core/catalog.h"
#include "cases/explore/source.h"
#include "diopi/v1/selection.pb.h"

namespace diopi::explore {

struct GeneratorOptions {
  uint64_t seed = 1;
  // Functions that the library has; the others are not called. Empty: all.
  std::set<std::string> functions;
  Accepts accepts = [](const v1::Case&) { return true; };
};

// What became of a call.
struct Observation {
  double max_z = 0;  // the greatest error, in sigma; 0 where there is none
  bool failed = false;
  bool unsupported = false;  // the library does not take the dtype
};

// Calls the functions in turn, in another order each time. Calls near an odd one, whose error was the
// greatest of its function so far, come as soon as it is known. So the same seed, selection and observations
// give the same calls on every machine; with the same library, observations are the same. One call in a few
// of a function begins a sequence, whose calls come one after the other. Not thread-safe.
class Generator {
 public:
  // `catalog` must outlive it. The errors of Catalog::VisitOperators; NotFound when no function is left to
  // call.
  static absl::StatusOr<std::unique_ptr<Generator>> Make(const cases::Catalog& catalog,
                                                         const v1::Selection& selection,
                                                         const GeneratorOptions& options);

  // The next calls: `count`, or fewer when nothing is left to draw.
  std::vector<Call> Next(int count);
  // Must be called in the order of the calls; otherwise the sequence cannot be repeated.
  void Learn(const Call& call, const Observation& observation);

  int64_t functions() const { return static_cast<int64_t>(sources_.size()); }
  const Source& source(size_t index) const { return sources_[index]; }
  // Functions that are no longer called because so many of their calls failed.
  std::vector<std::string> given_up() const;

 private:
  struct State {
    double greatest_z = 0;
    int failures = 0;
    int fruitless = 0;  // turns in a row without a valid call
    int drawn = 0;      // turns with one
    bool ended() const;
  };

  explicit Generator(GeneratorOptions options) : options_(std::move(options)) {}
  void AddSources(const v1::OperatorFile& op, const std::map<std::string, std::set<Dtype>>& dtypes);
  size_t NextTurn();
  std::optional<Call> NearOdd();
  std::optional<Call> Draw();

  GeneratorOptions options_;
  std::deque<Vocabulary> vocabularies_;
  std::vector<Source> sources_;
  std::vector<State> states_;             // of the sources
  std::deque<std::pair<Call, int>> odd_;  // with how many calls are to be drawn near it
  std::deque<Call> due_;                  // the rest of the sequence begun last
  uint64_t turns_ = 0;
  int64_t calls_ = 0;
};

}  // namespace diopi::explore

#endif  // CASES_EXPLORE_GENERATOR_H_
