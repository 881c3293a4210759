// Random calls of one function.
#ifndef CASES_EXPLORE_SOURCE_H_
#define CASES_EXPLORE_SOURCE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cases/base/dtype.h"
#include "cases/explore/classes.h"
#include "cases/explore/mutate.h"
#include "cases/explore/vocabulary.h"
#include "cases/fill/random.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"
#include "proto/abi/abi.h"

namespace diopi::explore {

// A call, and how to describe it: the operator's rules make `c` of `point`.
struct Call {
  const v1::OperatorFile* op = nullptr;  // of the catalog
  v1::Point point;
  v1::Case c;
  std::vector<Dtype> dtypes;  // in which its point may be called
  int64_t number = 0;         // in the exploration, from 0
  size_t source = 0;          // index of its function's source
  bool followup = false;      // near a call that was odd
  // Calls of one process, made in the order of their numbers: that of the first. -1: a call on its own.
  int64_t sequence = -1;
  bool beside = false;  // is made while the call before it in the sequence is made again on another thread
};

// Whether the call may be made: a device profile may skip it.
using Accepts = std::function<bool(const v1::Case&)>;

// Draws calls of one function. What it draws depends on the seed, on its own earlier calls and on what Learn
// was given, and on nothing else. Not thread-safe.
class Source {
 public:
  // `op`, `rules` and `vocabulary` must outlive it. `dtypes`: those of the selection. `name` tells the
  // operator's functions apart in the labels of points: "x7_0".
  Source(const v1::OperatorFile* op, const v1::FunctionRules* rules, const Vocabulary* vocabulary,
         const std::set<Dtype>& dtypes, std::string name, uint64_t seed);

  // The next call: of a few candidates, the one with most new classes and pairs of classes. Nothing when all
  // that was drawn was invalid.
  std::optional<Call> Next(const Accepts& accepts);
  // A call one change away from an earlier one.
  std::optional<Call> Near(const Call& call, const Accepts& accepts);
  // What makes a sequence of the call: the same once more with other values, another alignment, dtype, mode,
  // layout or order of sizes, or one change, then the call itself again with other values, every other time
  // beside the call before it. Plans and values that a library keeps from call to call, and scratch memory
  // that its calls share, show so.
  std::vector<Call> Sequel(const Call& call, const Accepts& accepts);

  // The library does not take this dtype: no further calls in it.
  void LeaveOut(Dtype dtype) { left_out_.insert(dtype); }

  const std::string& function() const { return rules_->name(); }
  const SeenClasses& seen() const { return seen_; }

 private:
  struct Origin {  // a point, or a cover
    const v1::Point* point = nullptr;
    const v1::Cover* cover = nullptr;
    std::vector<Dtype> dtypes;
  };
  enum class Variation { kValues, kAlignment, kDtype, kKey, kChange };
  struct Limits {
    int64_t elements = 0;   // of the largest tensor
    double operations = 0;  // of the call, with those that produce its inputs
    bool large = false;     // the call is to be nearly as large
  };

  void AddOrigins(const std::set<Dtype>& dtypes);
  Limits MostLimits() const;
  Limits DrawLimits(Draws* draws) const;
  std::optional<Call> Draw(const Accepts& accepts, const std::string& label, Draws* draws) const;
  // Leaves of `dtypes` those that the row may have.
  std::optional<v1::Point> DrawRow(const v1::Cover& cover, Dtype dtype, const Limits& limits, Draws* draws,
                                   std::vector<std::string>* how, std::vector<Dtype>* dtypes) const;
  std::optional<Call> Build(v1::Point point, Dtype dtype, const Limits& limits, const std::string& label,
                            const std::vector<std::string>& how, const Accepts& accepts) const;
  std::optional<Call> Vary(const Call& call, Variation variation, const std::string& relation,
                           const Accepts& accepts);
  std::string ChangePoint(Variation variation, const MutateOptions& options, Draws* draws,
                          v1::Point* point) const;
  Draws NextDraws();

  const v1::OperatorFile* op_;
  const v1::FunctionRules* rules_;
  const abi::Function* function_;
  const Vocabulary* vocabulary_;
  std::string name_;
  uint64_t seed_;
  bool random_;  // some output is judged by its distribution
  std::vector<Origin> points_, covers_;
  std::set<Dtype> left_out_;
  SeenClasses seen_;
  int64_t drawn_ = 0;
};

}  // namespace diopi::explore

#endif  // CASES_EXPLORE_SOURCE_H_
