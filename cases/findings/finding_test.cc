#include "cases/findings/finding.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "build_paths.h"
#include "cases/findings/describe.h"
#include "cases/findings/finding_tables.h"
#include "cases/findings/finding_text.h"

namespace diopi {
namespace {

using F = v1::Finding;

// "CODE" -> text.
std::map<std::string, std::string> Lines(std::string_view table) {
  std::map<std::string, std::string> lines;
  std::istringstream in{std::string(table)};
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(": ");
    EXPECT_TRUE(lines.emplace(line.substr(0, colon), line.substr(colon + 2)).second) << "twice: " << line;
  }
  return lines;
}

// A word that reads the same in English has no line there.
bool IsWord(const std::string& name) {
  return std::isupper(static_cast<unsigned char>(name[0])) == 0;
}

std::set<std::string> FieldsOf(const std::string& text) {
  static const std::regex kField("[{[]([a-z]+)[}:?|]");
  std::set<std::string> fields;
  for (std::sregex_iterator it(text.begin(), text.end(), kField), end; it != end; ++it)
    fields.insert((*it)[1].str());
  return fields;
}

TEST(FindingTables, EveryCodeHasATextInEachLanguageWithTheSameFields) {
  const std::map<std::string, std::string> english = Lines(findings_en());
  const std::map<std::string, std::string> chinese = Lines(findings_zh());
  const google::protobuf::EnumDescriptor& codes = *v1::Finding::Code_descriptor();
  for (int i = 1; i < codes.value_count(); ++i) {
    EXPECT_TRUE(english.contains(codes.value(i)->name()))
        << codes.value(i)->name() << " has no text in en.txt";
  }
  for (const auto& [name, text] : english) {
    ASSERT_TRUE(chinese.contains(name)) << name << " has no text in zh.txt";
    EXPECT_EQ(FieldsOf(text), FieldsOf(chinese.at(name))) << name;
    EXPECT_TRUE(IsWord(name) || codes.FindValueByName(name) != nullptr)
        << name << " is no code of finding.proto";
    for (const std::string& field : FieldsOf(text))
      EXPECT_NE(v1::Finding::descriptor()->FindFieldByName(field), nullptr) << name << ": {" << field << "}";
  }
  for (const auto& [name, text] : chinese)
    EXPECT_TRUE(IsWord(name) || english.contains(name)) << name << " has no text in en.txt";
}

// The browser's test reads the same file.
TEST(FindingText, IsThatOfTheSharedTable) {
  std::ifstream file(DIOPI_SOURCE_DIR "/cases/findings/testdata/texts.json");
  const nlohmann::json rows = nlohmann::json::parse(file);
  ASSERT_GT(rows.size(), 10U);
  for (const nlohmann::json& row : rows) {
    v1::Finding finding;
    const auto read = google::protobuf::util::JsonStringToMessage(row.at("finding").dump(), &finding);
    ASSERT_TRUE(read.ok()) << read << row;
    EXPECT_EQ(FindingText(finding), row.at("en")) << row;
    EXPECT_EQ(FindingText(finding, FindingLanguage::kChinese), row.at("zh")) << row;
  }
}

TEST(Describe, TextsAreMadeOfFindingsAndClearedAgain) {
  v1::Verdict verdict;
  verdict.add_outputs()->set_key("out");
  *verdict.add_findings() =
      Found(F::OF_OUTPUT).Name("out").Part(Found(F::WRONG_ELEMENTS).Count(1).Of(1)).Part(Found(F::WHOLE_NAN));
  const v1::Verdict bare = verdict;
  Describe(&verdict);
  EXPECT_EQ(verdict.reason(), "out: 1 of 1 element differs; the whole output is NaN");
  EXPECT_EQ(verdict.outputs(0).detail(), "1 of 1 element differs; the whole output is NaN");
  EXPECT_EQ(verdict.likely_cause(), "");
  ClearDescription(&verdict);
  EXPECT_EQ(verdict.SerializeAsString(), bare.SerializeAsString());
}

TEST(Describe, WhatMayBeDeclaredComesFirstAndExplanationsFollow) {
  v1::Verdict verdict;
  verdict.set_outcome(v1::OUTCOME_FAIL);
  *verdict.add_findings() = Found(F::WRONG_ELEMENTS).Count(2).Of(3);
  *verdict.mutable_cause() = Found(F::DECLARE).Word("tf32").Part(Found(F::TF32_PRODUCTS));
  Describe(&verdict);
  EXPECT_EQ(verdict.reason(),
            "consistent with TF32 products; declare tf32 if the device computes so: 2 of 3 elements differ");
  EXPECT_THAT(verdict.consistent_with(), testing::ElementsAre("TF32 products"));
  *verdict.mutable_cause() = Found(F::CONSISTENT_WITH)
                                 .Part(Found(F::TAKEN_AS).Name("alpha").Expected("1"))
                                 .Part(Found(F::IGNORED).Name("beta"));
  Describe(&verdict);
  EXPECT_EQ(verdict.reason(),
            "2 of 3 elements differ; consistent with alpha taken as 1, or with beta ignored");
  EXPECT_EQ(verdict.likely_cause(), "consistent with alpha taken as 1, or with beta ignored");
  EXPECT_EQ(ReasonText(verdict, FindingLanguage::kChinese),
            "3 个元素中 2 个不符；符合：把 alpha 当作 1，或忽略了 beta");
}

TEST(Describe, TextsOfAnOlderAgentStay) {
  v1::Verdict verdict;
  verdict.set_reason("the function returned 7");
  Describe(&verdict);
  ClearDescription(&verdict);
  EXPECT_EQ(verdict.reason(), "the function returned 7");
  EXPECT_EQ(ReasonText(verdict, FindingLanguage::kChinese), "the function returned 7");
}

}  // namespace
}  // namespace diopi
