#include "reports/evaluation/spec.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace diopi::reports {
namespace {

// The template with its data lines: '#' directly before text marks data, "# " prose.
std::string FilledTemplate() {
  std::string out;
  for (const absl::string_view line : absl::StrSplit(std::string(SpecTemplate()), '\n')) {
    const bool data = line.size() > 1 && line[0] == '#' && (line[1] != ' ' || absl::StartsWith(line, "#  "));
    absl::StrAppend(&out, data ? line.substr(1) : line, "\n");
  }
  return out;
}

TEST(ParseSpec, TheTemplateSaysNothingUntilFilledIn) {
  const auto empty = ParseSpec(SpecTemplate(), "t");
  EXPECT_EQ(empty.status().message(), "t: no chip: the name given to diopi-agent --chip was expected");
  const auto filled = ParseSpec(FilledTemplate(), "t");
  ASSERT_TRUE(filled.ok()) << filled.status();
  EXPECT_EQ(filled->chip(), "example");
  EXPECT_EQ(filled->compute_size(), 3);
  EXPECT_TRUE(filled->compute(2).sparse());
  EXPECT_EQ(filled->memory().bandwidth_gb_s(), 1600);
  EXPECT_EQ(filled->interconnect_size(), 1);
  EXPECT_EQ(filled->power().board_w(), 400);
  EXPECT_EQ(filled->note_size(), 5);
}

TEST(ParseSpec, ErrorsNameFileAndLine) {
  struct Row {
    const char* text;
    const char* error;
  };
  const Row rows[] = {
      {"chip: \"a\"\ncolour: 3\n",
       "lab.textproto:2:7: Message type \"diopi.v1.ChipSpec\" has no field named"},
      {"chip: \"a\"\npower {\n  board_w: -4 source: \"s\"\n}\n",
       "lab.textproto:3: board_w of power is -4, expected a positive number"},
      {"chip: \"a\"\npower {\n  board_w: 4\n}\n", "lab.textproto:2: power has no source"},
      {"chip: \"a\"\n\ncompute { tera_ops: 1 source: \"s\" }\n", "lab.textproto:3: compute has no dtype"},
      {"chip: \"a\"\nmemory {\n type: \"HBM\" capacity_gib: 3 source: \"s\" }\n",
       "lab.textproto:2: memory has no bandwidth_gb_s; omit the whole block"},
      {"chip: \"a\"\nmemory { type: \"H\" capacity_gib: nan bandwidth_gb_s: 0 source: \"s\" }\n",
       "lab.textproto:2: bandwidth_gb_s of memory is 0, expected a positive number"},
      {"chip: \"a\"\ncompute { dtype: \"f\" tera_ops: 1 source: \"s\" }\n"
       "compute { dtype: \"f\" tera_ops: 2 source: \"s\" }\n",
       "lab.textproto:3: a second figure for f"},
      {"chip: \"a\"\nnote { item: \"Driver\" source: \"s\" }\n", "lab.textproto:2: note has no text"},
  };
  for (const Row& row : rows) {
    const auto spec = ParseSpec(row.text, "lab.textproto");
    EXPECT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_TRUE(absl::StrContains(spec.status().message(), row.error)) << spec.status();
  }
}

TEST(ParseSpec, EveryFindingIsTold) {
  const auto spec = ParseSpec("power { board_w: 0 }\n", "f");
  EXPECT_EQ(spec.status().message(),
            "f: no chip: the name given to diopi-agent --chip was expected\n"
            "f:1: board_w of power is 0, expected a positive number\n"
            "f:1: power has no source");
}

}  // namespace
}  // namespace diopi::reports
