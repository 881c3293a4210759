// Most of the time goes into conditions and into trial cases, so answers of conditions are cached, and the
// backtracking search asks for a complete row only when all conditions allow it. When such a row is refused,
// Blame tries its classes, alone and in pairs, in an otherwise ordinary row, so that what can never work is
// not tried again. A pair that neither succeeds nor is ruled out within the limits below is reported as
// undecided, not as impossible.
#include "cases/core/covering.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace diopi::cases {
namespace {

// How many complete rows may be refused, and choices made, before a pair counts as undecided.
constexpr int kMostRefusals = 64;
constexpr int kMostChoices = 200'000;

size_t At(int index) {
  return static_cast<size_t>(index);
}

// A constraint with its earlier answers.
class Known {
 public:
  Known(const Constraint& constraint, const std::vector<CoverAxis>& axes) : constraint_(constraint) {
    for (const int axis : constraint.axes) sizes_.push_back(axes[At(axis)].group.size());
  }
  // True where an axis is open.
  bool Holds(const Row& row) {
    uint64_t key = 0;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      const int c = row[At(constraint_.axes[i])];
      if (c == kOpen) return true;
      key = key * sizes_[i] + At(c);
    }
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    return known_.emplace(key, constraint_.holds(row)).first->second;
  }

 private:
  const Constraint& constraint_;
  std::vector<size_t> sizes_;
  std::unordered_map<uint64_t, bool> known_;
};

class Coverer {
 public:
  Coverer(const std::vector<CoverAxis>& axes, const std::vector<Constraint>& constraints,
          const Accepts& accepts)
      : axes_(axes), accepts_(accepts), touching_(axes.size()) {
    for (const CoverAxis& axis : axes) used_.emplace_back(axis.group.size(), 0);
    for (const Constraint& constraint : constraints) {
      for (const int axis : constraint.axes) touching_[At(axis)].push_back(known_.size());
      known_.emplace_back(constraint, axes);
    }
  }

  Covering Run(const std::vector<Row>& first) {
    List();
    for (const Row& row : first) {
      if (Gain(row) > 0 && Fulfils(row) && accepts_(row)) Keep(row);
    }
    for (const Target& target : targets_) {
      if (covered_.count(target) == 0) Cover(target);
    }
    return std::move(covering_);
  }

 private:
  // axis a < axis b and a class or group of each; axis b is kOpen for a class alone.
  using Target = std::tuple<int, int, int, int>;

  int Axes() const { return static_cast<int>(axes_.size()); }
  int Classes(int axis) const { return static_cast<int>(axes_[At(axis)].group.size()); }
  bool Once(int axis, int c) const { return axes_[At(axis)].once[At(c)]; }
  bool ByClass(int a, int b) const { return axes_[At(a)].each || axes_[At(b)].each; }
  int Key(int axis, int c, bool by_class) const { return by_class ? c : axes_[At(axis)].group[At(c)]; }

  // What is to be covered, the expensive classes first.
  void List() {
    std::set<Target> seen;
    const auto add = [&](const Target& target) {
      if (seen.insert(target).second) targets_.push_back(target);
    };
    for (int a = 0; a < Axes(); ++a) {
      for (int c = 0; c < Classes(a); ++c) add({a, c, kOpen, kOpen});
    }
    std::stable_partition(targets_.begin(), targets_.end(), [&](const Target& target) {
      return Once(std::get<0>(target), std::get<1>(target));
    });
    for (int a = 0; a < Axes(); ++a) {
      for (int b = a + 1; b < Axes(); ++b) {
        for (int c = 0; c < Classes(a); ++c) {
          for (int d = 0; d < Classes(b); ++d) {
            if (Once(a, c) || Once(b, d)) continue;
            add({a, Key(a, c, ByClass(a, b)), b, Key(b, d, ByClass(a, b))});
          }
        }
      }
    }
  }

  // How many new pairs with `axis` a row covers, among the chosen axes; without an axis, how many in all.
  template <typename Visit>
  void Pairs(const Row& row, int axis, Visit&& visit) const {
    for (int a = 0; a < Axes(); ++a) {
      const int c = row[At(a)];
      if (c == kOpen) continue;
      if (axis == kOpen || axis == a) visit(Target{a, c, kOpen, kOpen});
      for (int b = a + 1; b < Axes(); ++b) {
        const int d = row[At(b)];
        if (d == kOpen || (axis != kOpen && axis != a && axis != b) || Once(a, c) || Once(b, d)) continue;
        visit(Target{a, Key(a, c, ByClass(a, b)), b, Key(b, d, ByClass(a, b))});
      }
    }
  }
  int Gain(const Row& row, int axis = kOpen) const {
    int gain = 0;
    Pairs(row, axis, [&](const Target& target) { gain += covered_.count(target) == 0 ? 1 : 0; });
    return gain;
  }

  void Keep(const Row& row) {
    Pairs(row, kOpen, [&](const Target& target) {
      if (covered_.insert(target).second && std::get<2>(target) != kOpen) ++covering_.pairs;
    });
    for (int a = 0; a < Axes(); ++a) ++used_[At(a)][At(row[At(a)])];
    covering_.rows.push_back(row);
  }

  bool Allowed(const Row& row, int axis) {
    return impossible_.count({axis, row[At(axis)]}) == 0 && !IsExcluded(row, axis) &&
           std::all_of(touching_[At(axis)].begin(), touching_[At(axis)].end(),
                       [&](size_t constraint) { return known_[constraint].Holds(row); });
  }
  bool Fulfils(const Row& row) {
    return std::all_of(known_.begin(), known_.end(),
                       [&](Known& constraint) { return constraint.Holds(row); });
  }

  // The classes that a class or a group stands for, those in the fewest rows first.
  std::vector<int> Members(int axis, int key, bool by_class) const {
    std::vector<int> members;
    for (int c = 0; c < Classes(axis); ++c) {
      if (Key(axis, c, by_class) == key && (by_class || !Once(axis, c))) members.push_back(c);
    }
    const std::vector<int>& used = used_[At(axis)];
    std::stable_sort(members.begin(), members.end(), [&](int c, int d) { return used[At(c)] < used[At(d)]; });
    return members;
  }

  void Cover(const Target& target) {
    const auto& [a, key_a, b, key_b] = target;
    const bool by_class = b == kOpen || ByClass(a, b);
    refusals_ = choices_ = 0;
    const Row open(axes_.size(), kOpen);
    for (const int c : Members(a, key_a, by_class)) {
      for (const int d : b == kOpen ? std::vector<int>{kOpen} : Members(b, key_b, by_class)) {
        Row row = open;
        row[At(a)] = c;
        if (b != kOpen) row[At(b)] = d;
        if (Allowed(row, a) && (b == kOpen || Allowed(row, b)) && Complete(&row)) return Keep(row);
      }
    }
    if (b == kOpen) impossible_.insert({a, key_a});
    covering_.impossible.push_back({a, key_a, b, key_b, GivenUp()});
  }
  bool GivenUp() const { return refusals_ > kMostRefusals || choices_ > kMostChoices; }

  // Whether the axis's class was refused together with that of another axis.
  bool IsExcluded(const Row& row, int axis) const {
    if (excluded_.empty()) return false;
    for (int other = 0; other < Axes(); ++other) {
      if (other == axis || row[At(other)] == kOpen) continue;
      if (excluded_.count(Pair(row, std::min(axis, other), std::max(axis, other))) != 0) return true;
    }
    return false;
  }
  bool IsDoomed(const Row& row) const {
    for (int a = 0; a < Axes(); ++a) {
      if (row[At(a)] != kOpen && (impossible_.count({a, row[At(a)]}) != 0 || IsExcluded(row, a))) return true;
    }
    return false;
  }
  static Target Pair(const Row& row, int a, int b) { return {a, row[At(a)], b, row[At(b)]}; }

  // Finds why a row was refused: one or two classes that are refused even when all other axes have their
  // first class.
  void Blame(const Row& row) {
    ++refusals_;
    const Row first(axes_.size(), 0);
    if (!Fulfils(first) || !accepts_(first)) return;
    const auto is_refused = [&](int a, int b) {
      Row alone = first;
      alone[At(a)] = row[At(a)];
      alone[At(b)] = row[At(b)];
      return Fulfils(alone) && !accepts_(alone);
    };
    for (int a = 0; a < Axes(); ++a) {
      if (row[At(a)] == 0 || !blamed_.insert({a, row[At(a)], kOpen, kOpen}).second) continue;
      if (is_refused(a, a)) impossible_.insert({a, row[At(a)]});
    }
    for (int a = 0; a < Axes(); ++a) {
      for (int b = a + 1; b < Axes(); ++b) {
        if (row[At(a)] == 0 || row[At(b)] == 0 || !blamed_.insert(Pair(row, a, b)).second) continue;
        if (is_refused(a, b)) excluded_.insert(Pair(row, a, b));
      }
    }
  }

  // The open axis with the fewest classes that each of its constraints allows, and these classes, so that
  // choices that may leave nothing for others are made early. kOpen when all axes have a class.
  int NextAxis(Row* row, std::vector<int>* classes) {
    int best = kOpen;
    double least = 0;
    for (int axis = 0; axis < Axes(); ++axis) {
      if ((*row)[At(axis)] != kOpen) continue;
      std::vector<int> allowed;
      for (int c = 0; c < Classes(axis); ++c) {
        if (Once(axis, c)) continue;
        (*row)[At(axis)] = c;
        if (Allowed(*row, axis)) allowed.push_back(c);
      }
      (*row)[At(axis)] = kOpen;
      const double choices =
          static_cast<double>(allowed.size()) / (static_cast<double>(touching_[At(axis)].size()) + 1e-3);
      if (best != kOpen && choices >= least) continue;
      best = axis;
      least = choices;
      *classes = std::move(allowed);
    }
    return best;
  }

  // Chooses a class for every open axis.
  bool Complete(Row* row) {
    if (++choices_ > kMostChoices) return false;
    std::vector<int> classes;
    const int axis = NextAxis(row, &classes);
    if (axis == kOpen) {
      if (accepts_(*row)) return true;
      Blame(*row);
      return false;
    }
    std::vector<std::tuple<int, int, int>> ranked;  // most gain, least used, first
    for (const int c : classes) {
      (*row)[At(axis)] = c;
      ranked.emplace_back(-Gain(*row, axis), used_[At(axis)][At(c)], c);
    }
    std::sort(ranked.begin(), ranked.end());
    const Row before = *row;
    for (const auto& [gain, times, c] : ranked) {
      *row = before;
      (*row)[At(axis)] = c;
      if (GivenUp()) break;
      if (Allowed(*row, axis) && Complete(row)) return true;
      (*row) = before;
      (*row)[At(axis)] = kOpen;
      if (IsDoomed(*row)) break;  // what was learned concerns classes that were chosen before
    }
    *row = before;
    (*row)[At(axis)] = kOpen;
    return false;
  }

  const std::vector<CoverAxis>& axes_;
  const Accepts& accepts_;
  std::vector<Known> known_;
  std::vector<std::vector<size_t>> touching_;  // of each axis, the constraints that concern it
  std::vector<Target> targets_;
  std::set<Target> covered_;
  std::vector<std::vector<int>> used_;        // rows that hold each class
  std::set<std::pair<int, int>> impossible_;  // classes that no row may hold
  std::set<Target> excluded_;                 // pairs of classes that no row may hold
  std::set<Target> blamed_;                   // classes, and pairs of them, that were tried alone
  int refusals_ = 0;
  int choices_ = 0;
  Covering covering_;
};

}  // namespace

Covering CoverPairs(const std::vector<CoverAxis>& axes, const std::vector<Constraint>& constraints,
                    const Accepts& accepts, const std::vector<Row>& first) {
  return Coverer(axes, constraints, accepts).Run(first);
}

}  // namespace diopi::cases
