// Checks an operator's file including all its cases and inputs; with --compile also writes it as a serialized
// OperatorFile, with the chosen rows of its covers, for the build to embed. Errors are printed as FILE:LINE:
// text, and the exit status is then 1.
//
//   case_compiler FILE.textproto ...              check, print how many cases there are
//   case_compiler --list FILE.textproto ...       ... and each case's id, arguments and judges
//   case_compiler --hashes FILE.textproto ...     each case's id and hash, to compare two versions of a file
//   case_compiler --reach FILE.textproto ...      which classes and pairs of its covers have a case
//   case_compiler --compile OUT.binpb FILE.textproto
//   case_compiler --slices FILE.textproto ...     checks files of cases/slices
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "cases/core/case_builder.h"
#include "cases/core/common_classes.h"
#include "cases/core/cover.h"
#include "cases/core/operator_file.h"
#include "cases/fill/fill.h"
#include "cases/slices/slice_files.h"

namespace diopi::cases {
namespace {

absl::Status CheckSizes(const v1::Case& c) {
  if (LargestTensorBytes(c) <= kMostTensorBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(c.id(), ": a tensor is larger than 1 MiB"));
}

struct Compiled {
  v1::OperatorFile file;
  std::vector<v1::Case> cases;
  std::vector<CoverCases> covers;
  std::vector<CommonClass> common;
};

absl::StatusOr<Compiled> Compile(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  ASSIGN_OR_RETURN(ParsedOperator parsed, ParseOperator(text, path));
  Compiled compiled;
  ASSIGN_OR_RETURN(std::vector<v1::Case> cases, ExpandOperator(parsed.file, parsed.lines, &compiled.covers));
  for (size_t i = 0; i < compiled.covers.size(); ++i) {
    for (const v1::ChosenRows& chosen : compiled.covers[i].chosen)
      *parsed.file.mutable_cover(static_cast<int>(i))->add_chosen() = chosen;
  }
  compiled.common = AddCommonPoints(&parsed.file, &cases);
  for (const v1::Case& c : cases) {
    absl::Status status = CheckSizes(c);
    if (status.ok()) status = FillInputs(c).status();
    if (!status.ok())
      return absl::InvalidArgumentError(absl::StrCat(parsed.PointLine(c.label()), status.message()));
  }
  compiled.file = std::move(parsed.file);
  compiled.cases = std::move(cases);
  return compiled;
}

std::string SpecText(const v1::TensorSpec& spec) {
  std::string text =
      absl::StrCat(v1::Dtype::Code_Name(spec.dtype()), ShapeText({spec.shape().begin(), spec.shape().end()}));
  if (!spec.from().empty()) absl::StrAppend(&text, " from ", spec.from());
  return text;
}

std::string ValueText(const v1::Argument& arg) {
  if (arg.has_tensor()) return SpecText(arg.tensor());
  if (!arg.has_tensors()) {
    v1::Argument value = arg;
    value.clear_name();
    value.clear_role();
    value.clear_alias();
    return value.ShortDebugString();
  }
  std::string text = "[";
  for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
    const bool null = i < arg.tensors().null_size() && arg.tensors().null(i);
    absl::StrAppend(&text, i == 0 ? "" : ", ", null ? "null" : SpecText(arg.tensors().tensors(i)));
  }
  return text + "]";
}

void List(const std::vector<v1::Case>& cases) {
  for (const v1::Case& c : cases) {
    std::cout << c.id() << "  " << c.function() << '\n';
    for (const v1::Argument& arg : c.args())
      std::cout << "    " << arg.name() << ": " << ValueText(arg) << '\n';
    for (const v1::Judge& judge : c.judges()) std::cout << "    judge " << judge.ShortDebugString() << '\n';
  }
}

void ShowHashes(const std::vector<v1::Case>& cases) {
  for (const v1::Case& c : cases) std::cout << c.id() << ' ' << c.hash() << '\n';
}

void ShowReach(const Compiled& compiled) {
  for (const v1::FunctionRules& rules : compiled.file.function()) {
    std::cout << rules.name() << ":\n";
    for (const std::string& line : CommonLines(compiled.common, rules.name())) std::cout << line << '\n';
  }
  for (const CoverCases& covered : compiled.covers) {
    for (const Reach& reach : covered.reach) {
      std::cout << reach.function << ": " << reach.pairs << " pairs, " << reach.excluded_pairs
                << " excluded\n";
      for (const AxisReach& axis : reach.axes) {
        std::cout << "  " << axis.axis << ": " << absl::StrJoin(axis.reached, " ") << '\n';
        for (const std::string& why : axis.excluded) std::cout << "    without " << why << '\n';
      }
    }
  }
}

void ShowCounts(const std::string& path, const Compiled& compiled) {
  std::map<std::string, int> by_function;
  for (const v1::Case& c : compiled.cases) ++by_function[c.function()];
  std::cout << path << ": " << compiled.cases.size() << " cases";
  for (const v1::FunctionRules& rules : compiled.file.function()) {
    std::cout << ", " << rules.name() << ' ' << by_function[rules.name()];
  }
  std::cout << '\n';
}

// Checks every file, also after one that fails.
int Show(const std::string& what, const std::vector<std::string>& paths) {
  int code = 0;
  for (const std::string& path : paths) {
    const absl::StatusOr<Compiled> compiled = Compile(path);
    if (!compiled.ok()) {
      std::cerr << PrintableMessage(std::string(compiled.status().message())) << '\n';
      code = 1;
    } else if (what == "--hashes") {
      ShowHashes(compiled->cases);
    } else if (what == "--reach") {
      ShowReach(*compiled);
    } else {
      if (what == "--list") List(compiled->cases);
      ShowCounts(path, *compiled);
    }
  }
  return code;
}

int WriteCompiled(const std::string& out_path, const std::string& path) {
  absl::StatusOr<Compiled> compiled = Compile(path);
  if (!compiled.ok()) {
    std::cerr << PrintableMessage(std::string(compiled.status().message())) << '\n';
    return 1;
  }
  std::ofstream out(out_path, std::ios::binary);
  compiled->file.SerializeToOstream(&out);
  out.close();
  if (!out) {
    std::cerr << out_path << ": cannot be written\n";
    return 1;
  }
  return 0;
}

int CheckSlices(const std::vector<std::string>& paths) {
  int code = 0;
  for (const std::string& path : paths) {
    const absl::StatusOr<std::string> text = ReadFile(path);
    const absl::Status status = text.ok() ? slices::ParseSliceFile(*text, path).status() : text.status();
    if (status.ok()) continue;
    std::cerr << PrintableMessage(std::string(status.message())) << '\n';
    code = 1;
  }
  return code;
}

int Main(std::vector<std::string> args) {
  if (args.size() > 1 && args[0] == "--slices") return CheckSlices({args.begin() + 1, args.end()});
  if (args.size() == 3 && args[0] == "--compile") return WriteCompiled(args[1], args[2]);
  std::string what;
  if (!args.empty() && (args[0] == "--list" || args[0] == "--hashes" || args[0] == "--reach")) {
    what = args[0];
    args.erase(args.begin());
  }
  if (args.empty() || args[0].substr(0, 2) == "--") {
    std::cerr << "usage: case_compiler [--list|--hashes|--reach] FILE.textproto ...\n"
                 "       case_compiler --compile OUT.binpb FILE.textproto\n"
                 "       case_compiler --slices FILE.textproto ...\n";
    return 2;
  }
  return Show(what, args);
}

}  // namespace
}  // namespace diopi::cases

int main(int argc, char** argv) {
  return diopi::cases::Main({argv + 1, argv + argc});
}
