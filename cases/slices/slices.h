// Judging a large call on slices: which elements of its outputs are compared, and the small calls of the same
// function that compute them.
//
// A piece is such a call. Its arguments are slices of the whole call's arguments; nothing else about the
// function changes. Which axes may be cut follows from the operator's file (v1::Slices):
// - an elementwise function is called on the elements at the chosen places, as tensors of one dimension;
// - along a free axis a piece takes any positions; every other axis it takes whole;
// - along an axis that is read through windows it takes a range, with the neighbours that the windows need;
//   outputs whose windows the cut shortens are not compared;
// - a function without slices is called whole, and its outputs are compared at the chosen places; those that
//   are only moved also by a hash of all elements.
//
// Places follow from the case's hash, so that no file stores them. Where the pieces may cover an output,
// places are all over it. Otherwise the positions of every free axis are dealt out to many small pieces, so
// that each of `dense` positions is in one, and pieces have other pairs of positions than their neighbours.
// Positions are both ends of an axis, both sides of multiples of the usual tile sizes, and one at random in
// each of equal parts of the axis. So a defect in the last tile of an axis is always seen, and one in a tile
// of a thousandth of an output nearly always (slices_test has the figures).
#ifndef CASES_SLICES_SLICES_H_
#define CASES_SLICES_SLICES_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/base/tensor.h"
#include "cases/fill/fill.h"
#include "cases/slices/joined_losses.h"
#include "cases/slices/places.h"
#include "cases/slices/slice_files.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/slices.pb.h"

namespace diopi::slices {

// How much of a call is compared, and how large pieces may be.
struct SliceLimits {
  int64_t compared = 6000;                    // elements of an output, or a few more
  int64_t stored_bytes = int64_t{960} << 10;  // that the references of a case take at most
  int64_t dense = 2000;                 // positions along an axis: a thousandth of it holds a whole part
  int64_t windows = 3;                  // neighbouring outputs along an axis that windows read
  int64_t pieces = 512;                 // of an output at most, each with other positions
  int64_t elements = int64_t{1} << 23;  // of a tensor of a piece that is a cut
  int64_t elements_in_all = int64_t{1} << 26;  // of the largest tensors of all pieces of an output
  int64_t products_in_all = int64_t{1} << 28;  // combinations of positions of all axes
  int64_t most_products = int64_t{1} << 34;  // the same where even one position of each free axis takes more
  int64_t covered_elements = int64_t{1} << 22;  // the same where the pieces cover an output
  int64_t covered_products = int64_t{1} << 25;
};

// Elements of an output that are compared: their flat row-major indices in the piece's output and in the
// whole one.
struct Compared {
  std::vector<int64_t> in_piece;
  std::vector<int64_t> in_whole;
};

struct Piece {
  v1::Case c;          // with the slices' shapes; without inputs of other functions
  bool whole = false;  // the call as it is: `inputs` is empty
  double scale = 1;    // of its outputs, to have the whole call's: they are divided by a count
  Reduction joined =
      Reduction::kNone;  // its outputs are losses, whose sum or mean over all pieces is compared
  std::map<std::string, Places> inputs;     // by key
  std::map<std::string, Compared> outputs;  // by key; only those that this piece is for
  // Outputs of a whole call that are only moved: a hash says whether all of their elements are right. Those
  // that the library makes are among them alone, as their places follow from their shape (PlacesIn).
  std::set<std::string> hashed;
};

// A model's call with a tensor above 32 KiB: its inputs are filled in blocks (fill.h), and no file
// stores them.
bool IsLarge(const v1::Case& c);

// A large call whose outputs can be judged where they lie: by the elements that slices compute, and random
// ones by their distribution, all of them.
bool IsSliced(const v1::Case& c);

// The pieces of a sliced case, in an order that never changes. `slices` is the function's entry in its
// operator's file, or the default message where it has none.
std::vector<Piece> Cut(const v1::Case& c, const v1::Slices& slices, const SliceLimits& limits = {});

// How much the pieces compute, found without choosing elements.
struct PieceSizes {
  int64_t moved_bytes = 0;        // of the largest tensor of calls that only move values
  int64_t summed_elements = 0;    // of the largest tensor of calls that add up products, in float64
  int64_t computed_elements = 0;  // of the largest tensor of all others, in numbers that carry their noise
  int64_t products = 0;           // of a function with slices that is called whole

  // Of the largest of these tensors, as the reference holds it; it holds several at once.
  int64_t bytes() const { return std::max({moved_bytes, 8 * summed_elements, 16 * computed_elements}); }
};
PieceSizes MeasurePieces(const v1::Case& c, const v1::Slices& slices);

// Why that is too much for the reference, in words; empty where it is not. Of a sliced case.
std::string WhyNotComputable(const v1::Case& c);

// The piece of another function's call that gives an input of a piece: `places` of `output`, which are
// `in_piece` of the piece's. It judges nothing. Nothing where no axis can be cut: the call is then made
// whole.
struct ProducerPiece {
  Piece piece;
  Places in_piece;
};
std::optional<ProducerPiece> CutProducer(const v1::Case& producer, const v1::Slices& slices,
                                         const std::string& output, const Places& places);

// The flat indices that are compared of an output that the library makes, of this shape.
std::vector<int64_t> PlacesIn(const v1::Case& c, const std::string& key, const std::vector<int64_t>& shape,
                              const SliceLimits& limits = {});

// The flat indices, in each judged output, of the elements that are compared: the pieces' in their order.
std::map<std::string, std::vector<int64_t>> ComparedPlaces(const std::vector<Piece>& pieces);
// Those of Cut, in a fraction of the time, because no piece is made.
std::map<std::string, std::vector<int64_t>> ComparedPlaces(const v1::Case& c, const v1::Slices& slices);

// The inputs of a piece that is not whole, out of those of the whole call: `inputs`, and those that are
// filled in blocks. An input that is in neither is left out.
TensorMap TakeInputs(const Piece& piece, const TensorMap& inputs, const BlockInputs& blocks = {});

}  // namespace diopi::slices

#endif  // CASES_SLICES_SLICES_H_
