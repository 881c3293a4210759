/* A convolution net and a transformer block, trained through the ABI. Every gradient is a call of a backward
 * function. */
#include <stdio.h>
#include <string.h>

#include "host.h"

/* A fixed sequence of numbers in [-1, 1). */
static float Next(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (float)((double)(*state >> 33) / 1073741824.0 - 1.0);
}

static void Fill(Tensor* tensor, float scale, float offset, uint64_t* state) {
  float* values = (float*)tensor->data;
  for (int64_t i = 0; i < tensor->numel; ++i) values[i] = offset + scale * Next(state);
}

static const diopiScalar_t kOne = {diopi_dtype_float64, {1.0}};

static diopiSize_t Pair(const int64_t* values) {
  const diopiSize_t size = {values, 2};
  return size;
}

/* A parameter with its gradient and the optimiser's two states. */
typedef struct {
  Tensor* value;
  Tensor* gradient;
  Tensor* first;
  Tensor* second;
} Parameter;

enum { kMostParameters = 16 };
typedef struct {
  Context permanent;
  Parameter parameters[kMostParameters];
  int count;
  uint64_t random;
} Model;

static Parameter* New(Model* model, float scale, float offset, int64_t a, int64_t b, int64_t c, int64_t d) {
  Parameter* parameter = &model->parameters[model->count++];
  Tensor** const all[] = {&parameter->value, &parameter->gradient, &parameter->first, &parameter->second};
  for (int i = 0; i < 4; ++i) *all[i] = Floats(&model->permanent, a, b, c, d);
  Fill(parameter->value, scale, offset, &model->random);
  return parameter;
}

static float LossOf(const Tensor* loss) {
  float value = 0;
  memcpy(&value, loss->data, sizeof(value));
  return value;
}

static float CrossEntropy(Context* c, Tensor* gradient, Tensor* logits, Tensor* targets) {
  Tensor* loss = Scalar(c, 0);
  CALL(diopiCrossEntropyLoss, c, loss, logits, targets, NULL, ReductionMean, -100, 0.0);
  CALL(diopiCrossEntropyLossBackward, c, gradient, Scalar(c, 1), logits, targets, NULL, ReductionMean, -100,
       0.0);
  return LossOf(loss);
}

/* Images of 12 x 12 pixels in 5 classes: a bright row whose place is the class. */
static void Images(Tensor* images, Tensor* classes, uint64_t* random) {
  Fill(images, 0.3f, 0, random);
  for (int64_t i = 0; i < images->shape[0]; ++i) {
    const int64_t class = i % 5;
    memcpy(classes->data + i * 8, &class, sizeof(class));
    for (int64_t x = 0; x < 12; ++x) ((float*)images->data)[i * 144 + (2 * class + 1) * 12 + x] += 1;
  }
}

float TrainConvolution(int steps, int print) {
  Model m = {.random = 7};
  Context* p = &m.permanent;
  Parameter* kernel = New(&m, 0.4f, 0, 4, 1, 3, 3);
  Parameter* bias = New(&m, 0.1f, 0, 4, 0, 0, 0);
  Parameter* scale = New(&m, 0.1f, 1, 4, 0, 0, 0);
  Parameter* shift = New(&m, 0.1f, 0, 4, 0, 0, 0);
  Parameter* weight = New(&m, 0.1f, 0, 5, 144, 0, 0);
  Parameter* last_bias = New(&m, 0.1f, 0, 5, 0, 0, 0);
  Tensor* images = Floats(p, 10, 1, 12, 12);
  Tensor* classes = NewTensor(p, diopi_dtype_int64, 10, 0, 0, 0);
  Tensor* mean = Floats(p, 4, 0, 0, 0);
  Tensor* variance = Floats(p, 4, 0, 0, 0);
  Images(images, classes, &m.random);
  static const int64_t one[] = {1, 1};
  static const int64_t two[] = {2, 2};
  static const int64_t zero[] = {0, 0};
  static const int64_t four = 4;
  diopiSize_t bias_sizes = {&four, 1};
  float loss = 0;
  for (int step = 0; step < steps; ++step) {
    Context context = {NULL};
    Context* c = &context;
    Tensor* y1 = Floats(c, 10, 4, 12, 12);
    CALL(diopiConvolution2d, c, y1, images, kernel->value, bias->value, Pair(one), Pair(one), Pair(one), 1);
    Tensor* y2 = Floats(c, 10, 4, 12, 12);
    Tensor* save_mean = Floats(c, 4, 0, 0, 0);
    Tensor* save_invstd = Floats(c, 4, 0, 0, 0);
    CALL(diopiBatchNorm, c, y2, save_mean, save_invstd, y1, scale->value, shift->value, mean, variance, true,
         0.1, 1e-5);
    Tensor* y3 = Floats(c, 10, 4, 12, 12);
    CALL(diopiRelu, c, y3, y2);
    Tensor* y4 = Floats(c, 10, 4, 6, 6);
    Tensor* indices = NewTensor(c, diopi_dtype_int64, 10, 4, 6, 6);
    CALL(diopiMaxPool2dWithIndices, c, y4, indices, y3, Pair(two), Pair(two), Pair(zero), Pair(one), false);
    Tensor* rows = View(c, y4, 10, 144, 0, 0);
    Tensor* logits = Floats(c, 10, 5, 0, 0);
    CALL(diopiLinear, c, logits, rows, weight->value, last_bias->value);
    /* Statistics that such programs keep: the library allocates the first. */
    Tensor* bright = NULL;
    CALL(diopiNonzero, c, &bright, images);
    CALL(diopiCumsum, c, Floats(c, 10, 5, 0, 0), logits, 1);

    Tensor* d_logits = Floats(c, 10, 5, 0, 0);
    loss = CrossEntropy(c, d_logits, logits, classes);
    Tensor* d4 = Floats(c, 10, 144, 0, 0);
    CALL(diopiLinearBackward, c, d4, weight->gradient, last_bias->gradient, d_logits, rows, weight->value);
    Tensor* d3 = Floats(c, 10, 4, 12, 12);
    CALL(diopiMaxPool2dBackward, c, d3, View(c, d4, 10, 4, 6, 6), y3, Pair(two), Pair(two), Pair(zero),
         Pair(one), false, indices);
    Tensor* d2 = Floats(c, 10, 4, 12, 12);
    const diopiScalar_t threshold = {diopi_dtype_float64, {0.0}};
    CALL(diopiThresholdBackward, c, d2, d3, y2, &threshold);
    Tensor* d1 = Floats(c, 10, 4, 12, 12);
    CALL(diopiBatchNormBackward, c, d1, scale->gradient, shift->gradient, d2, y1, scale->value, mean,
         variance, save_mean, save_invstd, true, 1e-5);
    CALL(diopiConvolution2dBackward, c, NULL, kernel->gradient, bias->gradient, d1, images, kernel->value,
         &bias_sizes, Pair(one), Pair(one), Pair(one), 1);
    for (int i = 0; i < m.count; ++i) {
      Parameter* each = &m.parameters[i];
      CALL(diopiSgd, c, each->value, each->gradient, each->first, 0.05, 0.9, 0.0, 0.0, false);
    }
    if (print) printf("convolution step %d loss %.6f\n", step, (double)loss);
    FreeTensors(c);
  }
  FreeTensors(p);
  return loss;
}

enum { kBatch = 2, kLength = 6, kRows = kBatch * kLength, kWidth = 16, kHidden = 32, kTokens = 11 };

static Tensor* Rows(Context* c, int64_t width) {
  return Floats(c, kRows, width, 0, 0);
}
static Tensor* Batch(Context* c, Tensor* rows) {
  return View(c, rows, kBatch, kLength, kWidth, 0);
}
static Tensor* Square(Context* c) {
  return Floats(c, kBatch, kLength, kLength, 0);
}

static Tensor* Linear(Context* c, Tensor* x, const Parameter* weight) {
  Tensor* out = Rows(c, weight->value->shape[0]);
  CALL(diopiLinear, c, out, x, weight->value, NULL);
  return out;
}

static Tensor* LinearBack(Context* c, Tensor* d, Tensor* x, const Parameter* weight) {
  Tensor* out = Rows(c, weight->value->shape[1]);
  CALL(diopiLinearBackward, c, out, weight->gradient, NULL, d, x, weight->value);
  return out;
}

typedef struct {
  Tensor* out;
  Tensor* mean;
  Tensor* rstd;
} Normed;

static const int64_t kWidthSize = kWidth;

static Normed Norm(Context* c, Tensor* x, const Parameter* scale, const Parameter* shift) {
  const diopiSize_t shape = {&kWidthSize, 1};
  const Normed normed = {Rows(c, kWidth), Floats(c, kRows, 0, 0, 0), Floats(c, kRows, 0, 0, 0)};
  CALL(diopiLayerNorm, c, normed.out, normed.mean, normed.rstd, x, scale->value, shift->value, shape, 1e-5);
  return normed;
}

static Tensor* NormBack(Context* c, Tensor* d, Tensor* x, const Normed* normed, const Parameter* scale,
                        const Parameter* shift) {
  const diopiSize_t shape = {&kWidthSize, 1};
  Tensor* out = Rows(c, kWidth);
  CALL(diopiLayerNormBackward, c, out, scale->gradient, shift->gradient, d, x, scale->value, shift->value,
       normed->mean, normed->rstd, shape);
  return out;
}

static Tensor* Sum(Context* c, Tensor* a, Tensor* b) {
  Tensor* out = Rows(c, kWidth);
  CALL(diopiAdd, c, out, a, b, &kOne);
  return out;
}

static Tensor* Product(Context* c, Tensor* out, Tensor* a, Tensor* b) {
  CALL(diopiBmm, c, out, a, b);
  return out;
}

/* softmax(q k^T / 4) v, and its gradients. */
typedef struct {
  Tensor *q, *k, *v, *p, *out;
} Attention;

static const diopiScalar_t kScale = {diopi_dtype_float64, {0.25}};

static Attention Attend(Context* c, Tensor* q, Tensor* k, Tensor* v) {
  Attention a = {Batch(c, q), Batch(c, k), Batch(c, v), Square(c), Rows(c, kWidth)};
  Tensor* scores = Product(c, Square(c), a.q, Transposed(c, a.k));
  Tensor* scaled = Square(c);
  CALL(diopiMulScalar, c, scaled, scores, &kScale);
  CALL(diopiSoftmax, c, a.p, scaled, -1);
  Product(c, Batch(c, a.out), a.p, a.v);
  return a;
}

static void AttendBack(Context* c, const Attention* a, Tensor* d_out, Tensor** dq, Tensor** dk, Tensor** dv) {
  Tensor* d = Batch(c, d_out);
  *dq = Rows(c, kWidth);
  *dk = Rows(c, kWidth);
  *dv = Rows(c, kWidth);
  Tensor* dp = Product(c, Square(c), d, Transposed(c, a->v));
  Product(c, Batch(c, *dv), Transposed(c, a->p), d);
  Tensor* d_scaled = Square(c);
  CALL(diopiSoftmaxBackward, c, d_scaled, dp, a->p, -1);
  Tensor* ds = Square(c);
  CALL(diopiMulScalar, c, ds, d_scaled, &kScale);
  Product(c, Batch(c, *dq), ds, a->k);
  Product(c, Batch(c, *dk), Transposed(c, ds), a->q);
}

float TrainTransformer(int steps, int print) {
  Model m = {.random = 3};
  Context* p = &m.permanent;
  Parameter* embedding = New(&m, 1, 0, kTokens, kWidth, 0, 0);
  Parameter* g1 = New(&m, 0.1f, 1, kWidth, 0, 0, 0);
  Parameter* b1 = New(&m, 0.1f, 0, kWidth, 0, 0, 0);
  Parameter* wq = New(&m, 0.5f, 0, kWidth, kWidth, 0, 0);
  Parameter* wk = New(&m, 0.5f, 0, kWidth, kWidth, 0, 0);
  Parameter* wv = New(&m, 0.5f, 0, kWidth, kWidth, 0, 0);
  Parameter* wo = New(&m, 0.3f, 0, kWidth, kWidth, 0, 0);
  Parameter* g2 = New(&m, 0.1f, 1, kWidth, 0, 0, 0);
  Parameter* b2 = New(&m, 0.1f, 0, kWidth, 0, 0, 0);
  Parameter* w1 = New(&m, 0.3f, 0, kHidden, kWidth, 0, 0);
  Parameter* w2 = New(&m, 0.3f, 0, kWidth, kHidden, 0, 0);
  Parameter* last = New(&m, 0.3f, 0, kTokens, kWidth, 0, 0);
  Tensor* tokens = NewTensor(p, diopi_dtype_int64, kRows, 0, 0, 0);
  Tensor* targets = NewTensor(p, diopi_dtype_int64, kRows, 0, 0, 0);
  for (int64_t i = 0; i < kRows; ++i) {
    const int64_t token =
        (i * 7 + 3) % 5; /* several targets for each token: attention has to tell them apart */
    const int64_t target = (i * i + 2 * i) % kTokens;
    memcpy(tokens->data + i * 8, &token, sizeof(token));
    memcpy(targets->data + i * 8, &target, sizeof(target));
  }
  float loss = 0;
  for (int step = 0; step < steps; ++step) {
    Context context = {NULL};
    Context* c = &context;
    Tensor* h0 = Rows(c, kWidth);
    CALL(diopiEmbedding, c, h0, embedding->value, tokens, -1, false, false);
    const Normed n1 = Norm(c, h0, g1, b1);
    const Attention a = Attend(c, Linear(c, n1.out, wq), Linear(c, n1.out, wk), Linear(c, n1.out, wv));
    Tensor* h1 = Sum(c, h0, Linear(c, a.out, wo));
    const Normed n2 = Norm(c, h1, g2, b2);
    Tensor* f1 = Linear(c, n2.out, w1);
    Tensor* f2 = Rows(c, kHidden);
    CALL(diopiGelu, c, f2, f1, "none");
    Tensor* h2 = Sum(c, h1, Linear(c, f2, w2));
    Tensor* logits = Linear(c, h2, last);

    Tensor* d_logits = Rows(c, kTokens);
    loss = CrossEntropy(c, d_logits, logits, targets);
    Tensor* d2 = LinearBack(c, d_logits, h2, last);
    Tensor* df2 = LinearBack(c, d2, f2, w2);
    Tensor* df1 = Rows(c, kHidden);
    CALL(diopiGeluBackward, c, df1, df2, f1, "none");
    Tensor* d1 = Sum(c, d2, NormBack(c, LinearBack(c, df1, n2.out, w1), h1, &n2, g2, b2));
    Tensor *dq, *dk, *dv;
    AttendBack(c, &a, LinearBack(c, d1, a.out, wo), &dq, &dk, &dv);
    Tensor* dn = Sum(c, Sum(c, LinearBack(c, dq, n1.out, wq), LinearBack(c, dk, n1.out, wk)),
                     LinearBack(c, dv, n1.out, wv));
    Tensor* d0 = Sum(c, d1, NormBack(c, dn, h0, &n1, g1, b1));
    CALL(diopiEmbeddingBackward, c, embedding->gradient, d0, tokens, kTokens, -1, false, false);
    for (int i = 0; i < m.count; ++i) {
      Parameter* each = &m.parameters[i];
      CALL(diopiAdamW, c, each->value, each->gradient, each->first, each->second, NULL, 0.02f, 0.9f, 0.999f,
           1e-8f, 0.01f, step + 1, false);
    }
    if (print) printf("transformer step %d loss %.6f\n", step, (double)loss);
    FreeTensors(c);
  }
  FreeTensors(p);
  return loss;
}
