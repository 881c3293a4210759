// What is drawn depends only on the seed and on the observations in the order of the calls, so an exploration
// can be repeated. Functions take turns; calls near an odd one come first, but are at most a quarter of those
// asked for. A function ends when it has failed too often, as more of the same tells nothing, or when its
// draws keep giving no call that fits.
#include "cases/explore/generator.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cases/fill/random.h"

namespace diopi::explore {
namespace {

// An error of 3 sigma is rare among a case's elements, but not yet odd among thousands; a failure needs 8.
constexpr double kOddZ = 4;
constexpr double kOdder = 1.05;  // times the greatest error before
constexpr int kNearCalls = 2;    // of an odd one
constexpr int kNearShare = 4;    // one call of so many, at most
constexpr int kMostFailures = 30;
constexpr int kMostFruitless = 5;
constexpr int kSequenceEvery = 8;  // of a function's turns

}  // namespace

bool Generator::State::ended() const {
  return failures >= kMostFailures || fruitless >= kMostFruitless;
}

absl::StatusOr<std::unique_ptr<Generator>> Generator::Make(const cases::Catalog& catalog,
                                                           const v1::Selection& selection,
                                                           const GeneratorOptions& options) {
  std::map<std::pair<std::string, std::string>, std::set<Dtype>> selected;  // by operator and function
  absl::Status status = catalog.VisitOperators(selection, [&](const std::vector<v1::Case>& cases) {
    for (const v1::Case& c : cases) selected[{c.operator_(), c.function()}].insert(c.dtype());
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  std::unique_ptr<Generator> generator(new Generator(options));
  for (const v1::OperatorFile& op : catalog.operators()) {
    std::map<std::string, std::set<Dtype>> dtypes;
    for (const v1::FunctionRules& rules : op.function()) {
      const auto found = selected.find({op.operator_(), rules.name()});
      const bool has = options.functions.empty() || options.functions.contains(rules.name());
      if (found != selected.end() && has) dtypes[rules.name()] = found->second;
    }
    if (!dtypes.empty()) generator->AddSources(op, dtypes);
  }
  if (generator->sources_.empty()) {
    return absl::NotFoundError("there is nothing to explore: the library has none of the selected functions");
  }
  generator->states_.resize(generator->sources_.size());
  return generator;
}

void Generator::AddSources(const v1::OperatorFile& op, const std::map<std::string, std::set<Dtype>>& dtypes) {
  const Vocabulary& vocabulary = vocabularies_.emplace_back(VocabularyOf(op));
  for (int f = 0; f < op.function_size(); ++f) {
    const auto found = dtypes.find(op.function(f).name());
    if (found == dtypes.end()) continue;
    const std::string name = absl::StrCat("x", options_.seed, f == 0 ? "" : absl::StrCat("f", f));
    sources_.emplace_back(&op, &op.function(f), &vocabulary, found->second, name, options_.seed);
  }
}

// Each round of turns has every function once, in an order of its own.
size_t Generator::NextTurn() {
  const uint64_t count = sources_.size();
  const uint64_t round = turns_ / count, place = turns_ % count;
  ++turns_;
  return static_cast<size_t>(Permute(place, count, RandomBits(options_.seed, round, 0)));
}

std::optional<Call> Generator::NearOdd() {
  while (!odd_.empty()) {
    auto& [call, left] = odd_.front();
    const size_t source = call.source;
    std::optional<Call> near;
    if (!states_[source].ended()) near = sources_[source].Near(call, options_.accepts);
    if (--left == 0 || !near.has_value()) odd_.pop_front();
    if (!near.has_value()) continue;
    near->source = source;
    return near;
  }
  return std::nullopt;
}

std::vector<Call> Generator::Next(int count) {
  std::vector<Call> calls;
  const auto add = [&](Call call) {
    call.number = calls_++;
    calls.push_back(std::move(call));
  };
  while (static_cast<int>(calls.size()) < count / kNearShare) {
    std::optional<Call> near = NearOdd();
    if (!near.has_value()) break;
    add(*std::move(near));
  }
  while (static_cast<int>(calls.size()) < count) {
    std::optional<Call> call = Draw();
    if (!call.has_value()) break;
    add(*std::move(call));
  }
  return calls;
}

// The next call of a sequence, or of the function whose turn it is. Nothing when no function is left.
std::optional<Call> Generator::Draw() {
  if (!due_.empty()) {
    std::optional<Call> call = std::move(due_.front());
    due_.pop_front();
    return call;
  }
  const auto ended = [](const State& state) { return state.ended(); };
  while (!std::all_of(states_.begin(), states_.end(), ended)) {
    const size_t turn = NextTurn();
    State& state = states_[turn];
    if (state.ended()) continue;
    std::optional<Call> call = sources_[turn].Next(options_.accepts);
    state.fruitless = call.has_value() ? 0 : state.fruitless + 1;
    if (!call.has_value()) continue;
    call->source = turn;
    if (++state.drawn % kSequenceEvery != 0) return call;
    for (Call& next : sources_[turn].Sequel(*call, options_.accepts)) {
      next.source = turn;
      next.sequence = call->sequence = calls_;
      due_.push_back(std::move(next));
    }
    return call;
  }
  return std::nullopt;
}

void Generator::Learn(const Call& call, const Observation& observation) {
  State& state = states_[call.source];
  if (observation.unsupported) sources_[call.source].LeaveOut(call.c.dtype());
  if (observation.failed) {
    ++state.failures;
    return;
  }
  const bool odd = observation.max_z >= kOddZ && observation.max_z > kOdder * state.greatest_z;
  state.greatest_z = std::max(state.greatest_z, observation.max_z);
  if (odd) odd_.emplace_back(call, kNearCalls);
}

std::vector<std::string> Generator::given_up() const {
  std::vector<std::string> functions;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].failures >= kMostFailures) functions.push_back(sources_[i].function());
  }
  return functions;
}

}  // namespace diopi::explore
