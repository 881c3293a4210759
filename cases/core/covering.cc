#include "cases/core/covering.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace diopi::cases {
namespace {

// Complete rows that may be refused before a pair counts as impossible.
constexpr int kMostRefusals = 24;

class Coverer {
 public:
  Coverer(const std::vector<CoverAxis>& axes, const Accepts& accepts) : axes_(axes), accepts_(accepts) {
    for (const CoverAxis& axis : axes) used_.emplace_back(axis.group.size(), 0);
  }

  Covering Run(const std::vector<Row>& first) {
    List();
    for (const Row& row : first) {
      if (Gain(row) > 0 && accepts_(row) == Answer::kYes) Keep(row);
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
  const CoverAxis& At(int axis) const { return axes_[static_cast<size_t>(axis)]; }
  int Classes(int axis) const { return static_cast<int>(At(axis).group.size()); }
  bool Once(int axis, int c) const { return At(axis).once[static_cast<size_t>(c)]; }
  bool ByClass(int a, int b) const { return At(a).each || At(b).each; }
  int Key(int axis, int c, bool by_class) const {
    return by_class ? c : At(axis).group[static_cast<size_t>(c)];
  }

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

  // What a row covers of pairs with `axis`, among the axes that are chosen; or in all, without an axis.
  template <typename Visit>
  void Pairs(const Row& row, int axis, Visit&& visit) const {
    const auto chosen = [&](int a) { return row[static_cast<size_t>(a)]; };
    for (int a = 0; a < Axes(); ++a) {
      if (chosen(a) == kOpen) continue;
      if (axis == kOpen || axis == a) visit(Target{a, chosen(a), kOpen, kOpen});
      for (int b = a + 1; b < Axes(); ++b) {
        if (chosen(b) == kOpen || (axis != kOpen && axis != a && axis != b)) continue;
        if (Once(a, chosen(a)) || Once(b, chosen(b))) continue;
        visit(Target{a, Key(a, chosen(a), ByClass(a, b)), b, Key(b, chosen(b), ByClass(a, b))});
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
    for (int a = 0; a < Axes(); ++a)
      ++used_[static_cast<size_t>(a)][static_cast<size_t>(row[static_cast<size_t>(a)])];
    covering_.rows.push_back(row);
  }

  // The classes that a class or a group stands for, those in the fewest rows first.
  std::vector<int> Members(int axis, int key, bool by_class) const {
    std::vector<int> members;
    for (int c = 0; c < Classes(axis); ++c) {
      if (Key(axis, c, by_class) == key && (by_class || !Once(axis, c))) members.push_back(c);
    }
    const std::vector<int>& used = used_[static_cast<size_t>(axis)];
    std::stable_sort(members.begin(), members.end(), [&](int c, int d) {
      return used[static_cast<size_t>(c)] < used[static_cast<size_t>(d)];
    });
    return members;
  }

  void Cover(const Target& target) {
    const auto& [a, key_a, b, key_b] = target;
    const bool by_class = b == kOpen || ByClass(a, b);
    refusals_ = 0;
    for (const int c : Members(a, key_a, by_class)) {
      Row row(axes_.size(), kOpen);
      row[static_cast<size_t>(a)] = c;
      if (b == kOpen) {
        if (impossible_.count({a, c}) == 0 && Complete(&row)) return Keep(row);
        continue;
      }
      for (const int d : Members(b, key_b, by_class)) {
        if (impossible_.count({a, c}) != 0 || impossible_.count({b, d}) != 0) continue;
        row.assign(axes_.size(), kOpen);
        row[static_cast<size_t>(a)] = c;
        row[static_cast<size_t>(b)] = d;
        if (Complete(&row)) return Keep(row);
      }
    }
    if (b == kOpen) impossible_.insert({a, key_a});
    covering_.impossible.push_back({a, key_a, b, key_b});
  }

  // Finds the classes of a refused row that are refused by themselves.
  void Blame(const Row& row) {
    ++refusals_;
    const Row first(axes_.size(), 0);
    for (size_t a = 0; a < row.size(); ++a) {
      if (row[a] == 0 || !blamed_.insert({static_cast<int>(a), row[a]}).second) continue;
      Row alone = first;
      alone[a] = row[a];
      if (accepts_(alone) == Answer::kRefused && accepts_(first) == Answer::kYes) {
        impossible_.insert({static_cast<int>(a), row[a]});
      }
    }
  }
  bool IsImpossible(const Row& row) const {
    for (size_t a = 0; a < row.size(); ++a) {
      if (impossible_.count({static_cast<int>(a), row[a]}) != 0) return true;
    }
    return false;
  }

  // Chooses a class for every open axis, the first one first.
  bool Complete(Row* row) {
    const Answer answer = accepts_(*row);
    if (answer == Answer::kRefused) Blame(*row);
    if (answer != Answer::kYes) return false;
    const auto open = std::find(row->begin(), row->end(), kOpen);
    if (open == row->end()) return true;
    const Row before = *row;
    const auto axis = open - row->begin();
    const std::vector<int>& used = used_[static_cast<size_t>(axis)];
    std::vector<std::tuple<int, int, int>> ranked;  // most gain, least used, first
    for (int c = 0; c < Classes(static_cast<int>(axis)); ++c) {
      if (Once(static_cast<int>(axis), c) || impossible_.count({static_cast<int>(axis), c}) != 0) continue;
      *open = c;
      ranked.emplace_back(-Gain(*row, static_cast<int>(axis)), used[static_cast<size_t>(c)], c);
    }
    std::sort(ranked.begin(), ranked.end());
    for (const auto& [gain, times, c] : ranked) {
      *row = before;
      (*row)[static_cast<size_t>(axis)] = c;
      if (refusals_ > kMostRefusals || IsImpossible(*row)) continue;
      if (Complete(row)) return true;
    }
    *row = before;
    return false;
  }

  const std::vector<CoverAxis>& axes_;
  const Accepts& accepts_;
  std::vector<Target> targets_;
  std::set<Target> covered_;
  std::vector<std::vector<int>> used_;        // rows that hold each class
  std::set<std::pair<int, int>> impossible_;  // classes that no row may hold
  std::set<std::pair<int, int>> blamed_;      // classes that were tried alone
  int refusals_ = 0;
  Covering covering_;
};

}  // namespace

Covering CoverPairs(const std::vector<CoverAxis>& axes, const Accepts& accepts,
                    const std::vector<Row>& first) {
  return Coverer(axes, accepts).Run(first);
}

}  // namespace diopi::cases
