#include "reports/document/language.h"

#include <gtest/gtest.h>

namespace diopi::reports {
namespace {

TEST(Translator, FillsInValuesInTheOrderOfTheLanguage) {
  const Translator english = English();
  const Translator chinese(Language::kChinese);
  EXPECT_EQ(english("$0 of $1 ready", 3, 12), "3 of 12 ready");
  EXPECT_EQ(chinese("$0 of $1 ready", 3, 12), "12 个中 3 个就绪");
  EXPECT_EQ(english("$0 and $1 more", "a $1 |", "b"), "a $1 | and b more");  // a value is never markup
  EXPECT_EQ(english("costs $9 or $", 1), "costs $9 or $");
}

TEST(Translator, EnglishHasTwoFormsAndChineseOne) {
  const Translator english = English();
  const Translator chinese(Language::kChinese);
  EXPECT_EQ(english("$0 case|$0 cases", 1), "1 case");
  EXPECT_EQ(english("$0 case|$0 cases", 21), "21 cases");
  EXPECT_EQ(chinese("$0 case|$0 cases", 1), "1 个用例");
  EXPECT_EQ(chinese("$0 case|$0 cases", 21), "21 个用例");
}

TEST(Translator, ATextWithoutATranslationStaysEnglish) {
  EXPECT_EQ(Translator(Language::kChinese)("nowhere $0", 1), "nowhere 1");
}

TEST(Translator, TimesAreThoseOfTheLanguage) {
  const Translator chinese(Language::kChinese);
  EXPECT_EQ(English().Time("2026-11-02T03:04:05Z"), "2026-11-02T03:04:05Z");
  EXPECT_EQ(chinese.Time("2026-11-02T03:04:05Z"), "2026年11月2日 03:04:05 UTC");
  EXPECT_EQ(chinese.Time("2026-11-02T05:04:05+02:00"), "2026年11月2日 03:04:05 UTC");
  EXPECT_EQ(chinese.Time("yesterday"), "yesterday");
}

TEST(Language, IsNamedAsUsersAndBrowsersDo) {
  EXPECT_EQ(LanguageOf("zh"), Language::kChinese);
  EXPECT_EQ(LanguageOf("en"), Language::kEnglish);
  EXPECT_STREQ(HtmlLanguage(Language::kChinese), "zh-CN");
}

}  // namespace
}  // namespace diopi::reports
