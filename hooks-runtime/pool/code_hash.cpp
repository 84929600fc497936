#include <openssl/sha.h>

#include "hooks-runtime/pool/hook_runner.hpp"

namespace annals::hooks {

std::string code_hash(std::string_view source, const std::optional<std::string>& configuration) {
  std::string all(source);
  if (configuration) all.append(1, '\0').append(*configuration);
  std::string out(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(all.data()), all.size(), reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

}  // namespace annals::hooks
