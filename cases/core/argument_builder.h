// How case_builder gives a call its arguments. Private to the two files that implement it: case_builder.cc
// (what the point gives) and rule_arguments.cc (what the rules make).
#ifndef CASES_CORE_ARGUMENT_BUILDER_H_
#define CASES_CORE_ARGUMENT_BUILDER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/base/dtype.h"
#include "cases/core/case_builder.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The result of a shape source: shapes, a null, or "ask again when more arguments are known".
struct Source {
  bool ready = false;
  bool null = false;
  Shapes shapes;
  std::optional<Dtype> dtype;        // of shape_of and from
  std::vector<std::string> origins;  // TensorSpec.from, one per shape
};

class ArgumentBuilder {
 public:
  ArgumentBuilder(const v1::OperatorFile& op, const v1::FunctionRules& rules, const v1::Point& point,
                  Dtype dtype)
      : op_(op), rules_(rules), point_(point), dtype_(dtype), abi_(*abi::FindFunction(rules.name())) {}

  absl::StatusOr<Fit> Run();

 private:
  struct Slot {
    const abi::Param* param;
    const v1::ArgRule* rule;
    int index;                                      // in case_.args()
    bool pending = false;                           // made by its rule
    bool given = false;                             // by the point
    const v1::PointTensor* in_memory_of = nullptr;  // an output that lies where another argument does
  };

  v1::Argument* arg(const Slot& slot) { return case_.mutable_args(slot.index); }
  const v1::Argument* FindArg(const std::string& name) const;
  const std::string& PointName(const Slot& slot) const;

  // Each returns false and sets why_not_ when the function does not fit.
  bool Assign(Slot* slot);
  bool AssignTensors(Slot* slot, const std::vector<const v1::PointTensor*>& given);
  bool AssignSame(const std::string& name, Slot* slot);
  bool AssignAbsent(Slot* slot);
  bool AssignScratch(const Slot& slot);
  bool AssignCounts();
  void AssignSparseShapes();
  bool Unfit(std::string why);
  absl::Status Spec(const v1::PointTensor& given, const Slot& slot, v1::TensorSpec* spec);

  absl::Status ResolvePending();
  absl::StatusOr<bool> Resolve(Slot* slot);
  absl::StatusOr<Source> ShapesFor(const Slot& slot);
  absl::StatusOr<Source> Like(const std::string& reference) const;
  absl::StatusOr<Source> Broadcast(const v1::ArgRule& rule) const;
  absl::StatusOr<Source> Producer(const std::string& reference, bool values);
  std::optional<size_t> CountLike(const std::string& name) const;
  std::optional<Dtype> DtypeFor(const v1::ArgRule& rule, std::optional<Dtype> produced) const;
  absl::Status Make(const Slot& slot, const Source& source, Dtype dtype);
  void MakeLibraryOutput(const Slot& slot, Dtype dtype);

  void CheckGiven();
  absl::Status CheckInPlace();
  absl::Status GiveOutLayout();
  void ShareMemory();
  absl::Status CheckAsked();
  bool IsCount(const abi::Param& param) const;

  const v1::OperatorFile& op_;
  const v1::FunctionRules& rules_;
  const v1::Point& point_;
  Dtype dtype_;
  const abi::Function& abi_;
  v1::Case case_;
  std::vector<Slot> slots_;
  std::string why_not_;
  bool unfit_ = false;
  bool in_place_ = false;
};

// "argument 'NAME': ...".
absl::Status Named(const std::string& name, const absl::Status& status);
bool HasShapeSource(const v1::ArgRule& rule);
bool HasDtypeSource(const v1::ArgRule& rule);

}  // namespace diopi::cases

#endif  // CASES_CORE_ARGUMENT_BUILDER_H_
