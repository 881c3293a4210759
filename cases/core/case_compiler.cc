// Checks an operator's file down to the last case and input; with --embed also writes it as C++ for the
// build to link. Findings are printed as FILE:LINE: text, and the exit status is 1.
//
//   case_compiler FILE.textproto ...              check, print how many cases there are
//   case_compiler --list FILE.textproto ...       ... and each case's id, arguments and judges
//   case_compiler --hashes FILE.textproto ...     each case's id and hash, to compare before and after a
//   change case_compiler --reach FILE.textproto ...      which classes and pairs of its covers have a case
//   case_compiler --embed NAME OUT.cc FILE.textproto
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/core/case_builder.h"
#include "cases/core/cover.h"
#include "cases/core/fill.h"
#include "cases/core/operator_file.h"

namespace diopi::cases {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

absl::Status CheckSizes(const v1::Case& c) {
  if (LargestTensorBytes(c) <= kMostTensorBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(c.id(), ": a tensor is larger than 1 MiB"));
}

// Where the point of that label stands.
std::string PointLine(const ParsedOperator& parsed, const std::string& label) {
  for (int g = 0; g < parsed.file.grid_size(); ++g) {
    for (int p = 0; p < parsed.file.grid(g).point_size(); ++p) {
      if (parsed.file.grid(g).point(p).label() == label) return parsed.lines.At({{"grid", g}, {"point", p}});
    }
  }
  return parsed.lines.At({});
}

struct Compiled {
  v1::OperatorFile file;
  std::vector<v1::Case> cases;
};

absl::StatusOr<Compiled> Compile(const std::string& path) {
  absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<ParsedOperator> parsed = ParseOperator(*text, path);
  if (!parsed.ok()) return parsed.status();
  absl::StatusOr<std::vector<v1::Case>> cases = ExpandOperator(parsed->file, parsed->lines);
  if (!cases.ok()) return cases.status();
  for (const v1::Case& c : *cases) {
    absl::Status status = CheckSizes(c);
    if (status.ok()) status = FillInputs(c).status();
    if (!status.ok())
      return absl::InvalidArgumentError(absl::StrCat(PointLine(*parsed, c.label()), status.message()));
  }
  return Compiled{std::move(parsed->file), *std::move(cases)};
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

int ShowHashes(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const absl::StatusOr<Compiled> compiled = Compile(path);
    if (!compiled.ok()) {
      std::cerr << compiled.status().message() << '\n';
      return 1;
    }
    for (const v1::Case& c : compiled->cases) std::cout << c.id() << ' ' << c.hash() << '\n';
  }
  return 0;
}

// How far each cover reaches.
int ShowReach(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const absl::StatusOr<std::string> text = ReadFile(path);
    const absl::StatusOr<ParsedOperator> parsed = text.ok() ? ParseOperator(*text, path) : text.status();
    if (!parsed.ok()) {
      std::cerr << parsed.status().message() << '\n';
      return 1;
    }
    for (const v1::Cover& cover : parsed->file.cover()) {
      const absl::StatusOr<CoverCases> covered = ExpandCover(parsed->file, cover);
      if (!covered.ok()) {
        std::cerr << covered.status().message() << '\n';
        return 1;
      }
      for (const Reach& reach : covered->reach) {
        std::cout << reach.function << ": " << reach.pairs << " pairs, " << reach.excluded_pairs
                  << " excluded\n";
        for (const AxisReach& axis : reach.axes) {
          std::cout << "  " << axis.axis << ": " << absl::StrJoin(axis.reached, " ") << '\n';
          for (const std::string& why : axis.excluded) std::cout << "    without " << why << '\n';
        }
      }
    }
  }
  return 0;
}

int Check(const std::vector<std::string>& paths, bool list) {
  bool failed = false;
  for (const std::string& path : paths) {
    absl::StatusOr<Compiled> compiled = Compile(path);
    if (!compiled.ok()) {
      std::cerr << compiled.status().message() << '\n';
      failed = true;
      continue;
    }
    if (list) List(compiled->cases);
    std::map<std::string, int> by_function;
    for (const v1::Case& c : compiled->cases) ++by_function[c.function()];
    std::cout << path << ": " << compiled->cases.size() << " cases";
    for (const v1::FunctionRules& rules : compiled->file.function()) {
      std::cout << ", " << rules.name() << ' ' << by_function[rules.name()];
    }
    std::cout << '\n';
  }
  return failed ? 1 : 0;
}

int Embed(const std::string& name, const std::string& out_path, const std::string& path) {
  absl::StatusOr<Compiled> compiled = Compile(path);
  if (!compiled.ok()) {
    std::cerr << compiled.status().message() << '\n';
    return 1;
  }
  for (v1::Cover& cover : *compiled->file.mutable_cover()) {
    const absl::StatusOr<CoverCases> covered = ExpandCover(compiled->file, cover);
    if (!covered.ok()) {
      std::cerr << covered.status().message() << '\n';
      return 1;
    }
    for (const v1::ChosenRows& chosen : covered->chosen) *cover.add_chosen() = chosen;
  }
  const std::string bytes = compiled->file.SerializeAsString();
  std::string code =
      absl::StrCat("// Generated from ", path, " by case_compiler.\n#include <string_view>\n\n",
                   "namespace diopi::cases::builtin {\n\n", "static constexpr unsigned char kBytes[] = {");
  for (size_t i = 0; i < bytes.size(); ++i) {
    absl::StrAppendFormat(&code, "%s%d,", i % 32 == 0 ? "\n" : "", static_cast<unsigned char>(bytes[i]));
  }
  absl::StrAppend(&code, "0};\n\nstd::string_view ", name, "();\nstd::string_view ", name,
                  "() { return {reinterpret_cast<const char*>(kBytes), ", bytes.size(), "}; }\n\n",
                  "}  // namespace diopi::cases::builtin\n");
  std::ofstream out(out_path, std::ios::binary);
  out << code;
  out.close();
  if (!out) {
    std::cerr << out_path << ": cannot be written\n";
    return 1;
  }
  return 0;
}

int Main(std::vector<std::string> args) {
  if (args.size() == 4 && args[0] == "--embed") return Embed(args[1], args[2], args[3]);
  if (args.size() >= 2 && args[0] == "--reach") return ShowReach({args.begin() + 1, args.end()});
  if (args.size() >= 2 && args[0] == "--hashes") return ShowHashes({args.begin() + 1, args.end()});
  const bool list = !args.empty() && args[0] == "--list";
  if (list) args.erase(args.begin());
  if (args.empty() || args[0].substr(0, 2) == "--") {
    std::cerr << "usage: case_compiler [--list|--hashes|--reach] FILE.textproto ...\n"
                 "       case_compiler --embed NAME OUT.cc FILE.textproto\n";
    return 2;
  }
  return Check(args, list);
}

}  // namespace
}  // namespace diopi::cases

int main(int argc, char** argv) {
  return diopi::cases::Main({argv + 1, argv + argc});
}
