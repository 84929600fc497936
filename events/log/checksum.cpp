#include "events/log/checksum.hpp"

#include <openssl/evp.h>

#include <cstring>

#include "events/model/outcome.hpp"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace annals::log {
namespace {

constexpr std::uint32_t castagnoli = 0x82f63b78u;  // the polynomial, bits reversed

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t r = i;
    for (int bit = 0; bit < 8; ++bit) r = (r >> 1) ^ ((r & 1) ? castagnoli : 0);
    table[i] = r;
  }
  return table;
}
constexpr auto table = make_table();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(byte_view bytes) {
  std::uint64_t r = 0xffffffffu;
  const std::byte* p = bytes.data();
  std::size_t n = bytes.size();
  for (; n >= 8; n -= 8, p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    r = _mm_crc32_u64(r, word);
  }
  auto r32 = static_cast<std::uint32_t>(r);
  for (; n > 0; --n, ++p) r32 = _mm_crc32_u8(r32, static_cast<std::uint8_t>(*p));
  return ~r32;
}
#endif

// Fetched once: OpenSSL 3 looks an algorithm up by name at each use of EVP_sha256(), which costs more than hashing 300
// bytes.
const EVP_MD* algorithm() {
  static EVP_MD* const md = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  ANNALS_INVARIANT(md != nullptr, "OpenSSL has SHA-256");
  return md;
}

struct context {
  EVP_MD_CTX* ctx = EVP_MD_CTX_new();
  context() { ANNALS_INVARIANT(ctx != nullptr, "memory for a SHA-256 context"); }
  ~context() { EVP_MD_CTX_free(ctx); }
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  void begin() { ANNALS_INVARIANT(EVP_DigestInit_ex2(ctx, algorithm(), nullptr) == 1, "SHA-256 begins"); }
  void add(byte_view bytes) {
    ANNALS_INVARIANT(EVP_DigestUpdate(ctx, bytes.data(), bytes.size()) == 1, "SHA-256 goes on");
  }
  sha256_digest finish() {
    sha256_digest out;
    unsigned length = 0;
    const int ok = EVP_DigestFinal_ex(ctx, reinterpret_cast<unsigned char*>(out.data()), &length);
    ANNALS_INVARIANT(ok == 1 && length == out.size(), "SHA-256 ends");
    return out;
  }
};

}  // namespace

std::uint32_t crc32c_portable(byte_view bytes) {
  std::uint32_t r = 0xffffffffu;
  for (std::byte b : bytes) r = (r >> 8) ^ table[(r ^ static_cast<std::uint8_t>(b)) & 0xff];
  return ~r;
}

std::uint32_t crc32c(byte_view bytes) {
#if defined(__x86_64__)
  static const bool have_sse42 = __builtin_cpu_supports("sse4.2");
  if (have_sse42) return crc32c_sse42(bytes);
#endif
  return crc32c_portable(bytes);
}

sha256_digest sha256(byte_view bytes) {
  thread_local context reused;
  reused.begin();
  reused.add(bytes);
  return reused.finish();
}

struct sha256_stream::state : context {};
sha256_stream::sha256_stream() : state_(std::make_unique<state>()) { state_->begin(); }
sha256_stream::~sha256_stream() = default;
void sha256_stream::add(byte_view bytes) { state_->add(bytes); }
sha256_digest sha256_stream::finish() { return state_->finish(); }

}  // namespace annals::log
