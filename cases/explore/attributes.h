// Changes of a point's attributes: to other values that the operator's own points give them, to numbers
// between those, to degenerate ones (0, 1, -1, a size of the call), to another mode.
#ifndef CASES_EXPLORE_ATTRIBUTES_H_
#define CASES_EXPLORE_ATTRIBUTES_H_

#include <string>
#include <vector>

#include "cases/explore/mutate.h"
#include "cases/fill/random.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::explore {

// What the point's tensors leave free.
struct AttributeLimits {
  bool table = false;   // starts, lengths, ...: whole numbers and lists of sizes stay
  bool index = false;   // what a mode does with indices that occur twice may be undefined
  bool placed = false;  // numbers move places, at which a gradient may have no slope: they stay
  // Numbers are thresholds of ratios, such as overlaps. A point's own is not near its ratios. All others are
  // drawn as multiples of 2^-10, which a ratio of small integers equals exactly or misses clearly.
  bool decides = false;
};

bool NamesDimensions(const v1::PointAttribute& attribute);

class AttributeChange {
 public:
  AttributeChange(const MutateOptions& options, const AttributeLimits& limits, Draws* draws, v1::Point* point)
      : options_(options), limits_(limits), draws_(draws), point_(point) {}

  // Each changes one attribute of the point, or one that it leaves to its default, and says which. Empty:
  // what was drawn does not suit the point, which is unchanged.
  std::string Any();
  // Sets a number at which formulas degenerate, if the operator's own points reach as far: 0, 1, -1, the
  // least, the greatest. A whole number may become a size of the call if no tensor holds indices; dimensions
  // may become any others.
  std::string Degenerate();
  // Draws all dimensions that attributes name, as for another rank.
  void PlaceAll();
  // A word or a yes or no, which libraries may forget in the keys of what they keep from call to call.
  std::string Mode();
  // A floating number by so little that a key which rounds it, or compares it with a tolerance, is the same.
  std::string Slightly();

 private:
  using Known = std::vector<v1::PointAttribute>;
  struct Range {
    double least, greatest;
    bool Contains(double value) const { return least <= value && value <= greatest; }
  };

  // A random one for which `wanted` holds; one that is not given gets its default. Null: there is none.
  template <typename Wanted>
  v1::PointAttribute* Pick(Wanted wanted, v1::PointAttribute* fallback);
  template <typename Wanted, typename Change>
  std::string Apply(Wanted wanted, Change change);
  const Known* KnownOf(const std::string& name) const;
  // The range of the numbers that points give it.
  Range RangeOf(const v1::PointAttribute& attribute) const;
  std::vector<double> Degenerates(const v1::PointAttribute& attribute) const;
  bool FromKnown(v1::PointAttribute* attribute);
  bool Between(v1::PointAttribute* attribute);
  bool Place(v1::PointAttribute* attribute);
  bool OneSize(v1::PointAttribute* attribute);

  const MutateOptions& options_;
  const AttributeLimits limits_;
  Draws* const draws_;
  v1::Point* const point_;
};

}  // namespace diopi::explore

#endif  // CASES_EXPLORE_ATTRIBUTES_H_
