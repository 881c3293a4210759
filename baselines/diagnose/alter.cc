// One list of argument names with their neutral and default values serves every operator: an altered case
// replaces one argument by a value that an implementation that ignores it would use. Generic changes (sizes
// swapped, flags turned, strides ignored) need no table. The list is ordered by how often such a mistake
// occurs, because the diagnosis stops at its limit of tries.
#include "baselines/diagnose/alter.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/diagnose/memory_order.h"
#include "cases/findings/finding.h"
#include "proto/abi/abi.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

// Numbers by argument name: the value without effect first, then PyTorch's default where it differs.
struct Neutral {
  std::string_view name;
  std::vector<double> values;
};

const std::vector<Neutral>& NeutralNumbers() {
  static const auto* const kTable = new std::vector<Neutral>{
      {"alpha", {1, 0}},
      {"beta", {1, 0}},
      {"beta1", {0.9}},
      {"beta2", {0.999}},
      {"correction", {1, 0}},
      {"dampening", {0}},
      {"dim", {-1, 0, 1}},
      {"divisor_override", {1}},
      {"eps", {0, 1e-5, 1e-8}},
      {"exponent", {1, 2}},
      {"from", {0}},
      {"groups", {1}},
      {"ignore_index", {-100}},
      {"label_smoothing", {0}},
      {"lambd", {0.5}},
      {"lr", {1, 1e-3}},
      {"margin", {0, 1}},
      {"mean", {0}},
      {"momentum", {0, 0.1}},
      {"negative_slope", {0.01, 0}},
      {"norm_type", {2, 1}},
      {"num_groups", {1}},
      {"p", {2, 0.5, 0}},
      {"padding_idx", {-1}},
      {"start", {0}},
      {"std", {1}},
      {"step", {1}},
      {"threshold", {0, 20}},
      {"to", {1}},
      {"value", {1, 0}},
      {"weight_decay", {0}},
  };
  return *kTable;
}

// Size lists by argument name: the value without effect.
struct NeutralSize {
  std::string_view name;
  int64_t value;
};
constexpr NeutralSize kNeutralSizes[] = {
    {"dilation", 1}, {"output_padding", 0}, {"padding", 0}, {"stride", 1}};

// The values of a string argument.
struct Spellings {
  std::string_view name;
  std::vector<std::string_view> values;
};

const std::vector<Spellings>& KnownSpellings() {
  static const auto* const kTable = new std::vector<Spellings>{
      {"approximate", {"none", "tanh"}},
      {"mode", {"nearest", "bilinear", "bicubic", "linear", "trilinear"}},
      {"reduce", {"", "add", "multiply"}},
  };
  return *kTable;
}

// Functions of one signature that are mistaken for each other: decay of the weights inside and outside of the
// moments.
constexpr std::pair<std::string_view, std::string_view> kTwins[] = {{"diopiAdam", "diopiAdamW"},
                                                                    {"diopiAdamW", "diopiAdam"}};

constexpr std::string_view kReductions[] = {"none", "mean", "sum"};
constexpr std::string_view kRoundings[] = {"none", "trunc", "floor"};

std::string Quoted(std::string_view text) {
  return absl::StrCat("'", std::string(text), "'");
}

class Alterer {
 public:
  explicit Alterer(const v1::Case& c) : case_(c), function_(abi::FindFunction(c.function())) {}

  std::vector<AlteredCase> Run() {
    // The arguments that are most often ignored come first.
    ForEach(&Alterer::AlterNumber);
    TakeAsTwin();
    ForEach(&Alterer::IgnoreGradient);
    ForEach(&Alterer::AlterSizes);
    ForEach(&Alterer::IgnoreTensor);
    ForEach(&Alterer::AlterFlag);
    ForEach(&Alterer::AlterSpelling);
    for (InputInMemory& read : InputsByMemory(case_)) {
      AlteredCase altered{Copy(), read.argument, Found(read.code).Name(read.key)};
      *FindSpec(read.key, &altered.c) = std::move(read.spec);
      altered_.push_back(std::move(altered));
    }
    return std::move(altered_);
  }

 private:
  using Way = void (Alterer::*)(int index);

  void ForEach(Way way) {
    for (int i = 0; i < case_.args_size(); ++i) (this->*way)(i);
  }

  v1::Case Copy() const {
    v1::Case c = case_;
    c.clear_hash();
    return c;
  }

  void Add(int index, F::Code code, const std::function<void(v1::Argument*)>& change) {
    const std::string& name = case_.args(index).name();
    AlteredCase altered{Copy(), name, Found(code).Name(name)};
    change(altered.c.mutable_args(index));
    altered_.push_back(std::move(altered));
  }

  void TakeAs(int index, std::string value, const std::function<void(v1::Argument*)>& change) {
    Add(index, F::TAKEN_AS, change);
    altered_.back().found.set_expected(std::move(value));
  }

  void AlterNumber(int index) {
    const v1::Argument& arg = case_.args(index);
    const abi::Kind kind = KindOf(arg);
    if (kind == abi::REDUCTION) return AlterCode(index, kReductions);
    if (kind == abi::ROUND_MODE) return AlterCode(index, kRoundings);
    const auto& table = NeutralNumbers();
    const auto known =
        std::find_if(table.begin(), table.end(), [&](const Neutral& n) { return n.name == arg.name(); });
    if (known == table.end()) return;
    for (const double value : known->values) SetNumber(index, value);
  }

  void SetNumber(int index, double value) {
    const v1::Argument& arg = case_.args(index);
    const std::string text = absl::StrCat(value);
    const bool whole = value == std::floor(value);
    const auto integer = static_cast<int64_t>(value);
    if (arg.has_f() && arg.f() != value) {
      TakeAs(index, text, [=](v1::Argument* a) { a->set_f(value); });
    } else if (arg.has_i() && whole && arg.i() != integer) {
      TakeAs(index, text, [=](v1::Argument* a) { a->set_i(integer); });
    } else if (arg.scalar().has_f() && arg.scalar().f() != value) {
      TakeAs(index, text, [=](v1::Argument* a) { a->mutable_scalar()->set_f(value); });
    } else if (arg.scalar().has_i() && whole && arg.scalar().i() != integer) {
      TakeAs(index, text, [=](v1::Argument* a) { a->mutable_scalar()->set_i(integer); });
    }
  }

  template <size_t N>
  void AlterCode(int index, const std::string_view (&names)[N]) {
    const v1::Argument& arg = case_.args(index);
    if (!arg.has_i()) return;
    for (int64_t code = 0; code < static_cast<int64_t>(N); ++code) {
      if (code == arg.i()) continue;
      TakeAs(index, Quoted(names[code]), [=](v1::Argument* a) { a->set_i(code); });
    }
  }

  void AlterSizes(int index) {
    const v1::Argument& arg = case_.args(index);
    if (!arg.has_sizes()) return;
    const auto& sizes = arg.sizes().values();
    for (const NeutralSize& neutral : kNeutralSizes) {
      if (neutral.name != arg.name()) continue;
      if (std::all_of(sizes.begin(), sizes.end(), [&](int64_t size) { return size == neutral.value; }))
        continue;
      TakeAs(index, absl::StrCat(neutral.value), [&](v1::Argument* a) {
        for (int64_t& size : *a->mutable_sizes()->mutable_values()) size = neutral.value;
      });
    }
    if (sizes.size() != 2 || sizes[0] == sizes[1]) return;
    Add(index, F::TWO_SWAPPED,
        [](v1::Argument* a) { a->mutable_sizes()->mutable_values()->SwapElements(0, 1); });
    for (int kept = 0; kept < 2; ++kept) {
      Add(index, kept == 0 ? F::FIRST_FOR_BOTH : F::SECOND_FOR_BOTH,
          [=](v1::Argument* a) { a->mutable_sizes()->set_values(1 - kept, a->sizes().values(kept)); });
    }
  }

  void TakeAsTwin() {
    for (const auto& [name, twin] : kTwins) {
      if (name != case_.function()) continue;
      altered_.push_back(
          {Copy(), "", Found(F::TAKEN_AS).Name(std::string(name)).Expected(std::string(twin))});
      altered_.back().c.set_function(std::string(twin));
    }
  }

  void IgnoreGradient(int index) {
    const v1::Argument& arg = case_.args(index);
    if (arg.role() != v1::ROLE_INPUT || !arg.has_tensor() || arg.name() != "grad_output") return;
    TakeAs(index, "1", [](v1::Argument* a) {
      a->mutable_tensor()->clear_from();
      a->mutable_tensor()->clear_fill();
      a->mutable_tensor()->mutable_fill()->mutable_constant()->set_value(1);
    });
  }

  void IgnoreTensor(int index) {
    const v1::Argument& arg = case_.args(index);
    if (arg.role() != v1::ROLE_INPUT || !arg.has_tensor() || !IsNullable(arg)) return;
    Add(index, F::IGNORED, [](v1::Argument* a) { a->set_null(true); });
  }

  void AlterFlag(int index) {
    const v1::Argument& arg = case_.args(index);
    if (arg.has_b()) {
      const bool turned = !arg.b();
      TakeAs(index, turned ? "true" : "false", [=](v1::Argument* a) { a->set_b(turned); });
    } else if (arg.has_i() && KindOf(arg) == abi::BOOL_POINTER) {
      const bool turned = arg.i() == 0;
      TakeAs(index, turned ? "true" : "false", [=](v1::Argument* a) { a->set_i(turned ? 1 : 0); });
    }
  }

  void AlterSpelling(int index) {
    const v1::Argument& arg = case_.args(index);
    if (!arg.has_s()) return;
    for (const Spellings& known : KnownSpellings()) {
      if (known.name != arg.name()) continue;
      for (const std::string_view value : known.values) {
        if (value == arg.s()) continue;
        TakeAs(index, Quoted(value), [=](v1::Argument* a) { a->set_s(std::string(value)); });
      }
    }
  }

  abi::Kind KindOf(const v1::Argument& arg) const {
    const abi::Param* param = function_ == nullptr ? nullptr : abi::FindParam(*function_, arg.name());
    return param == nullptr ? abi::KIND_UNSET : param->kind();
  }

  bool IsNullable(const v1::Argument& arg) const {
    const abi::Param* param = function_ == nullptr ? nullptr : abi::FindParam(*function_, arg.name());
    return param != nullptr && param->nullable();
  }

  const v1::Case& case_;
  const abi::Function* const function_;
  std::vector<AlteredCase> altered_;
};

}  // namespace

std::vector<AlteredCase> AlterArguments(const v1::Case& c) {
  return Alterer(c).Run();
}

}  // namespace diopi::baselines
