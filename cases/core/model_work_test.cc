// How often a step makes its calls, checked against published configurations: of each stage of each model
// that has stages, the operations of its products (a multiplication and an addition are two) and the
// parameters that it touches (its weights and, in training, those that its optimizer updates). What is
// expected follows from the number of parameters that a model's publisher states and a few sizes of its
// configuration, not from the file of its calls: both counts are equal, because the configuration leaves
// nothing open.
//
// Sources are the files config.json and model.safetensors.index.json (parameters: total_size over the size of
// an element) of the repositories on huggingface.co that a row names, and articles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/tensor.h"
#include "cases/core/catalog.h"
#include "cases/core/core_testing.h"

namespace diopi::cases {
namespace {

// Sums of whole numbers below 2^53 times small ones: what rounding of the sums may change.
constexpr double kTolerance = 1e-9;

struct Count {
  double products = 0;  // operations
  double weights = 0;   // elements of the weights of forward functions
  double updated = 0;   // elements that optimizers update
};
using Stages = std::map<std::string, Count>;

std::vector<double> Shape(const v1::Case& c, const std::string& name) {
  for (const v1::Argument& arg : c.args()) {
    if (arg.name() == name && arg.has_tensor())
      return {arg.tensor().shape().begin(), arg.tensor().shape().end()};
  }
  return {};
}

double Elements(const std::vector<double>& shape) {
  double elements = shape.empty() ? 0 : 1;
  for (const double size : shape) elements *= size;
  return elements;
}

// Pairs of a query and a key that it sees, for queries that are the last of the keys.
double Pairs(double queries, double keys, bool causal) {
  return causal ? queries * (queries + 1) / 2 + queries * (keys - queries) : queries * keys;
}

// A gradient of a product of two matrices takes two products, that of attention five for the forward's two.
double Products(const v1::Case& c, const ModelCall& call) {
  const bool backward = absl::EndsWith(c.function(), "Backward");
  const std::string& op = c.operator_();
  const std::vector<double> weight = Shape(c, "weight");
  if (op == "linear") {
    return (backward ? 4 : 2) * Elements(Shape(c, "input")) * weight[0];
  }
  if (op == "conv2d") {
    const double out = Elements(Shape(c, backward ? "grad_output" : "out"));
    return (backward ? 4 : 2) * out * Elements(weight) / weight[0];
  }
  if (op != "flash_attention") return 0;
  const std::vector<double> q = Shape(c, "q");
  const std::vector<double> k = Shape(c, "k");
  const bool causal = absl::StrContains(call.text, "is_causal=true");
  return (backward ? 10 : 4) * q[0] * q[2] * q[3] * Pairs(q[1], k[1], causal);
}

double Weights(const v1::Case& c) {
  if (absl::StrContains(c.function(), "Backward")) return 0;
  return Elements(Shape(c, "weight")) + Elements(Shape(c, "bias"));
}

double Updated(const v1::Case& c) {
  double updated = c.operator_() == "sgd" ? Elements(Shape(c, "param")) : 0;
  for (const v1::Argument& arg : c.args()) {
    if (c.operator_() != "fused_adamw" || arg.name() != "params") continue;
    for (const v1::TensorSpec& spec : arg.tensors().tensors()) {
      updated += static_cast<double>(NumElements({spec.shape().begin(), spec.shape().end()}));
    }
  }
  return updated;
}

Stages CountOf(const Catalog& catalog, const std::string& model) {
  v1::Selection selection;
  selection.set_suite(absl::StrCat(kModelSuites, model));
  selection.set_max_tensor_bytes(int64_t{1} << 50);
  Stages stages;
  const absl::Status status =
      catalog.VisitModels(selection, [&](const Model&, const ModelCall& call, const CallCases& cases) {
        Count& count = stages[call.stage];
        for (const v1::Case& c : cases.cases) {
          const auto times = static_cast<double>(call.times);
          count.products += times * Products(c, call);
          count.weights += times * Weights(c);
          count.updated += times * Updated(c);
        }
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  return stages;
}

void ExpectNear(double actual, double expected, const std::string& what) {
  EXPECT_NEAR(actual, expected, kTolerance * std::abs(expected)) << what;
}

void ExpectEqual(const Stages& actual, const Stages& expected, const std::string& model) {
  EXPECT_EQ(actual.size(), expected.size()) << model;
  for (const auto& [stage, count] : expected) {
    const auto found = actual.find(stage);
    ASSERT_NE(found, actual.end()) << model << " " << stage;
    ExpectNear(found->second.products, count.products, model + " " + stage + ": products");
    ExpectNear(found->second.weights, count.weights, model + " " + stage + ": weights");
    ExpectNear(found->second.updated, count.updated, model + " " + stage + ": updated");
  }
}

// A causal language model.
struct Language {
  const char* name;
  double parameters;  // all, published
  double hidden, layers, heads, kv_heads, dim, vocab;
  bool qkv_bias = false, qk_norm = false;
  double experts = 0, active = 0, expert_inter = 0, moe_layers = 0;
  // Of latent attention.
  double q_rank = 0, kv_rank = 0, rope = 0;
};

const std::vector<Language>& Languages() {
  static const auto* const kAll = new std::vector<Language>{
      {"llama2_7b", 6'738'415'616, 4096, 32, 32, 32, 128, 32'000},       // meta-llama/Llama-2-7b-hf
      {"llama2_70b", 68'976'648'192, 8192, 80, 64, 8, 128, 32'000},      // meta-llama/Llama-2-70b-hf
      {"llama3_8b", 8'030'261'248, 4096, 32, 32, 8, 128, 128'256},       // meta-llama/Meta-Llama-3-8B
      {"llama3_70b", 70'553'706'496, 8192, 80, 64, 8, 128, 128'256},     // meta-llama/Meta-Llama-3-70B
      {"internlm2_7b", 7'737'708'544, 4096, 32, 32, 8, 128, 92'544},     // internlm/internlm2-7b
      {"internlm2_20b", 19'861'149'696, 6144, 48, 48, 8, 128, 92'544},   // internlm/internlm2-20b
      {"qwen2_7b", 7'615'616'512, 3584, 28, 28, 4, 128, 152'064, true},  // Qwen/Qwen2-7B
      {"qwen3_32b", 32'762'123'264, 5120, 64, 64, 8, 128, 151'936, false, true},  // Qwen/Qwen3-32B
      // Qwen/Qwen3-30B-A3B, Qwen/Qwen3-235B-A22B, mistralai/Mixtral-8x7B-v0.1, deepseek-ai/DeepSeek-V3
      // (without the module that predicts a second token)
      {"qwen3_30b_a3b", 30'532'122'624, 2048, 48, 32, 4, 128, 151'936, false, true, 128, 8, 768, 48},
      {"qwen3_235b_a22b", 235'093'634'560, 4096, 94, 64, 4, 128, 151'936, false, true, 128, 8, 1536, 94},
      {"mixtral_8x7b", 46'702'792'704, 4096, 32, 32, 8, 128, 32'000, false, false, 8, 2, 14'336, 32},
      {"deepseek_v3", 671'026'419'200, 7168, 61, 128, 128, 192, 129'280, false, false, 256, 8, 2048, 58, 1536,
       512, 64},
      {"qwen25_vl_7b", 7'615'616'512, 3584, 28, 28, 4, 128, 152'064, true},  // that of Qwen/Qwen2.5-7B
  };
  return *kAll;
}

constexpr double kSequence = 2048;  // of training, the check's own; the others are those of the files
constexpr double kPrompt = 2048;
constexpr double kRequests = 16;
constexpr double kContext = 4096;

// Divided among `tp` devices are all products but those that lead to a router's scores or a latent.
Stages Expected(const Language& m, double tp) {
  const double embedding = m.vocab * m.hidden;
  const double norms =
      (2 * m.layers + 1) * m.hidden + m.layers * (m.qk_norm ? 2 * m.dim : m.q_rank + m.kv_rank);
  const double biases = m.qkv_bias ? m.layers * (m.heads + 2 * m.kv_heads) * m.dim : 0;
  // DeepSeek's router has a correction of its scores, which no optimizer updates.
  const double corrections = m.q_rank > 0 ? m.moe_layers * m.experts : 0;
  const double expert = 3 * m.hidden * m.expert_inter;
  const double everywhere = m.moe_layers * m.experts * m.hidden +
                            (m.q_rank > 0 ? m.layers * m.hidden * (m.q_rank + m.kv_rank + m.rope) : 0);
  const double all_matrices = m.parameters - embedding - norms - biases - corrections;
  const auto device = [&](double matrices) { return (matrices - everywhere) / tp + everywhere; };
  const auto weights = [&](double tokens) {
    const double found =
        m.experts == 0 ? 0 : std::round(m.experts * (1 - std::pow(1 - m.active / m.experts, tokens)));
    return device(all_matrices - m.moe_layers * (m.experts - found) * expert) + (embedding + biases) / tp +
           norms;
  };
  const double for_a_token = device(all_matrices - m.moe_layers * (m.experts - m.active) * expert);
  const auto attention = [&](double pairs) { return 4 * m.dim * m.heads / tp * m.layers * pairs; };
  const auto step = [&](double tokens, double last, double pairs) {
    return 2 * tokens * (for_a_token - embedding / tp) + 2 * last * embedding / tp + attention(pairs);
  };
  const double trained = Pairs(kSequence, kSequence, true);
  return {{"train",
           {3 * step(kSequence, kSequence, trained) + attention(trained) / 2, weights(kSequence),
            device(all_matrices) + (embedding + biases) / tp + norms}},
          {"prefill", {step(kPrompt, 1, Pairs(kPrompt, kPrompt, true)), weights(kPrompt), 0}},
          {"decode", {step(kRequests, kRequests, kRequests * kContext), weights(kRequests), 0}}};
}

// A training step makes three times the forward's products, and half of the attention's more.
Count Trained(double products, double attention, double weights, double updated) {
  return {3 * (products + attention) + attention / 2, weights, updated};
}

// Of Qwen2.5-VL's, which encodes an image of 80 x 80 patches (Qwen/Qwen2.5-VL-7B-Instruct, 8,292,166,656 in
// all).
Count ImageOfQwen(double language) {
  const double h = 1280, inter = 3420, layers = 32, whole = 4, patches = 6400, window = 64,
               patch = 3 * 2 * 14 * 14;
  const double merged = 4 * h, out = 3584;
  const double attention = 4 * h * patches * (whole * patches + (layers - whole) * window);
  const double products = 2 * patches * (patch * h + layers * (4 * h * h + 3 * h * inter)) +
                          2 * patches / 4 * (merged * merged + merged * out);
  return {products + attention, 8'292'166'656 - language, 0};
}

// google-bert/bert-large-uncased. Training has the words' embedding twice; inference lacks the prediction of
// words.
Stages BertLarge() {
  const double h = 1024, layers = 24, vocab = 30'522, batch = 8, seq = 512, all = 336'226'108;
  const double attention = 4 * h * layers * batch * seq * seq;
  const double blocks = 2 * batch * seq * layers * 12 * h * h + 2 * batch * (h * h + 2 * h);
  return {{"train", Trained(blocks + 2 * batch * seq * (h * h + vocab * h), attention, all + vocab * h, all)},
          {"inference", {blocks + attention, all - (h * h + 3 * h + vocab), 0}}};
}

// Dosovitskiy et al., arXiv:2010.11929; torchvision's vit_l_16 has 304,326,632, and patches of 16 instead
// of 14. The class token and the positions are no weights of a function.
Stages VitL14() {
  const double h = 1024, layers = 24, batch = 32, classes = 1000, patches = 256, seq = patches + 1;
  const double all = 304'326'632 + 3 * (14 * 14 - 16 * 16) * h + (seq - 197) * h;
  const double attention = 4 * h * layers * batch * seq * seq;
  const double products = 2 * batch * (seq * layers * 12 * h * h + patches * 3 * 14 * 14 * h + h * classes);
  const double weights = all - (seq + 1) * h;
  return {{"train", Trained(products, attention, weights, all)},
          {"inference", {products + attention, weights, 0}}};
}

// OpenGVLab/InternVL-Chat-V1-5; OpenGVLab/InternVL2_5-26B has the same sizes and states 25,514,186,112 in
// all. The language model has 9 words more than internlm2_20b.
Stages InternVl15Vision() {
  const double h = 3200, layers = 45, batch = 2, patches = 1024, seq = patches + 1, language = 6144;
  const double all = 25'514'186'112 - (19'861'149'696 + 2 * 9 * language);
  const double attention = 4 * h * layers * batch * seq * seq;
  const double products = 2 * batch *
                          (seq * layers * 12 * h * h + patches * 3 * 14 * 14 * h +
                           patches / 4 * (4 * h * language + language * language));
  const double weights = all - (seq + 1) * h - 2 * layers * h;  // and the blocks' scales
  return {{"train", Trained(products, attention, weights, all)},
          {"inference", {products + attention, weights, 0}}};
}

// openai/whisper-large-v3. Positions of the encoder are no weights of a function; words are embedded and
// predicted.
Stages Whisper() {
  const double h = 1280, layers = 32, vocab = 51'866, batch = 8, frames = 1500, context = 224,
               all = 1'543'490'560;
  const double positions = frames * h;
  const double heard = layers * (2 * h * h + h);  // the decoder's keys and values of what was heard
  const double norm = 2 * h;
  const double encoder =
      128 * h * 3 + h + 3 * h * h + h + norm + layers * (4 * h * h + 3 * h + 8 * h * h + 5 * h + 2 * norm);
  const double encoded = 2 * batch * (2 * frames * 128 * 3 * h + frames * (3 * h * h + layers * 14 * h * h)) +
                         4 * h * layers * batch * frames * frames;
  const double decoded =
      2 * batch * (layers * 14 * h * h + vocab * h) + 4 * h * layers * batch * (context + frames);
  return {{"encode", {encoded, encoder + heard, 0}},
          {"decode", {decoded, all - positions - encoder - heard + vocab * h, 0}}};
}

// black-forest-labs/FLUX.1-dev, transformer: 19 double and 38 single blocks.
Stages Flux() {
  const double h = 3072, two = 19, one = 38, image = 4096, text = 512, all = image + text;
  const double attention = 4 * h * all * all * (two + one);
  const double once =
      2 * (256 * h + h * h) + 768 * h + h * h + 2 * h * h;  // time, guidance, text as a whole, last shift
  const double products =
      2 * (two * (12 * h * h * all + 2 * 6 * h * h) + one * (12 * h * h * all + 3 * h * h) +
           image * 64 * h * 2 + text * 4096 * h + once);
  return {{"denoise", {products + attention, 11'901'408'320, 0}}};
}

// He et al., arXiv:1512.03385, with the stride in the 3x3 convolutions; torchvision's resnet50 has
// 25,557,032.
Stages ResNet50() {
  const double batch = 32;
  double macs = 112.0 * 112 * 64 * 3 * 49 + 2048 * 1000;
  double in = 64;
  double size = 56;  // of a block's output
  for (const auto& [width, blocks] : {std::pair{64.0, 3}, {128.0, 4}, {256.0, 6}, {512.0, 3}}) {
    for (int i = 0; i < blocks; ++i) {
      const double before = i == 0 && width > 64 ? size * 2 : size;
      macs += before * before * in * width + size * size * (9 * width * width + width * 4 * width);
      if (i == 0) macs += size * size * in * 4 * width;
      in = 4 * width;
    }
    size /= 2;
  }
  return {{"train", Trained(2 * batch * macs, 0, 25'557'032, 25'557'032)}};
}

// The UNet of diffusion models: levels of two residual blocks on the way down and three on the way up, whose
// inputs are joined with the outputs of the way down; two more and a transformer in the middle.
class Unet {
 public:
  struct Level {
    double channels = 0;
    double depth = 0;  // blocks of a transformer after each residual block; 0: it has none
  };
  Unet(std::vector<Level> levels, double middle, double size, double text, double added) : text_(text) {
    const double first = levels[0].channels;
    Convolution(4, first, 9, size);
    Product(first, kEmbedding, 1, true);
    Product(kEmbedding, kEmbedding, 1, true);
    if (added > 0) {
      Product(added, kEmbedding, 1, true);
      Product(kEmbedding, kEmbedding, 1, true);
    }
    std::vector<double> skipped = {first};
    double channels = first;
    for (size_t i = 0; i < levels.size(); ++i) {
      for (int block = 0; block < 2; ++block) {
        Block(channels, levels[i].channels, levels[i].depth, size);
        channels = levels[i].channels;
        skipped.push_back(channels);
      }
      if (i + 1 == levels.size()) continue;
      size /= 2;
      Convolution(channels, channels, 9, size);
      skipped.push_back(channels);
    }
    Block(channels, channels, middle, size);
    Block(channels, channels, 0, size);
    for (size_t i = levels.size(); i-- > 0;) {
      for (int block = 0; block < 3; ++block) {
        Block(channels + skipped.back(), levels[i].channels, levels[i].depth, size);
        skipped.pop_back();
        channels = levels[i].channels;
      }
      if (i == 0) continue;
      size *= 2;
      Convolution(channels, channels, 9, size);
    }
    parameters_ += 2 * first;
    Convolution(first, 4, 9, size);
  }

  double parameters() const { return parameters_; }
  // Of a step of denoising of two images (guidance), and of training.
  Stages Steps(double images) const {
    return {{"denoise", {2 * (products_ + attention_), parameters_, 0}},
            {"train", Trained(images * products_, images * attention_, parameters_, parameters_)}};
  }

 private:
  static constexpr double kEmbedding = 1280;

  void Product(double in, double out, double rows, bool biased) {
    products_ += 2 * in * out * rows;
    parameters_ += in * out + (biased ? out : 0);
  }
  void Convolution(double in, double out, double taps, double size) {
    Product(in * taps, out, size * size, true);
  }
  void Block(double in, double out, double depth, double size) {
    parameters_ += 2 * in + 2 * out;
    Convolution(in, out, 9, size);
    Product(kEmbedding, out, 1, true);
    Convolution(out, out, 9, size);
    if (in != out) Convolution(in, out, 1, size);
    if (depth > 0) Transformer(out, depth, size * size);
  }
  void Transformer(double width, double depth, double tokens) {
    constexpr double kWords = 77;
    parameters_ += 2 * width;
    for (int i = 0; i < 2; ++i) Product(width, width, tokens, true);
    for (int block = 0; block < static_cast<int>(depth); ++block) {
      parameters_ += 3 * 2 * width;
      for (int i = 0; i < 6; ++i) Product(width, width, tokens, i < 2);
      for (int i = 0; i < 2; ++i) Product(text_, width, kWords, false);
      Product(width, 8 * width, tokens, true);
      Product(4 * width, width, tokens, true);
      attention_ += 4 * width * tokens * (tokens + kWords);
    }
  }

  double text_;
  double products_ = 0;
  double attention_ = 0;
  double parameters_ = 0;
};

std::map<std::string, Stages> OtherModels() {
  // stable-diffusion-v1-5, unet: 859,520,964.
  const Unet sd15({{320, 1}, {640, 1}, {1280, 1}, {1280, 0}}, 1, 64, 768, 0);
  EXPECT_EQ(sd15.parameters(), 859'520'964);
  // stabilityai/stable-diffusion-xl-base-1.0, unet: 2,567,463,684.
  const Unet sdxl({{320, 0}, {640, 2}, {1280, 10}}, 10, 128, 2048, 2816);
  EXPECT_EQ(sdxl.parameters(), 2'567'463'684);
  return {
      {"bert_large", BertLarge()},     {"vit_l14", VitL14()},       {"internvl15_vision", InternVl15Vision()},
      {"whisper_large_v3", Whisper()}, {"flux_dit", Flux()},        {"resnet50_step", ResNet50()},
      {"sd15_unet", sd15.Steps(4)},    {"sdxl_unet", sdxl.Steps(1)}};
}

TEST(ModelWorkTest, EveryStageMakesTheProductsOfItsConfiguration) {
  const std::unique_ptr<Catalog> catalog = Builtin();
  std::set<std::string> checked;
  for (const Language& m : Languages()) {
    for (const int tp : {1, 4}) {
      const std::string model = absl::StrCat(m.name, "@seq=", kSequence, "@tp=", tp);
      Stages expected = Expected(m, tp);
      if (checked.insert(m.name).first->starts_with("qwen25_vl"))
        expected["image"] = ImageOfQwen(m.parameters);
      ExpectEqual(CountOf(*catalog, model), expected, model);
    }
  }
  for (const auto& [model, expected] : OtherModels()) {
    checked.insert(model);
    ExpectEqual(CountOf(*catalog, model), expected, model);
  }
  // All others were captured: what a step makes is unknown, and they have no stage.
  for (const ModelText& text : catalog->models()) {
    const std::string name(text.name);
    const std::string lines(text.text);
    EXPECT_EQ(absl::StrContains(lines, "\nstage ") || absl::StrContains(lines, "\nuse "),
              checked.contains(name))
        << name;
  }
}

}  // namespace
}  // namespace diopi::cases
