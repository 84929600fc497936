// Words that travel further than one link: signed with the key of a daemon's certificate, checked by whoever has the
// cluster's CA. docs/design/0020-jobs-across-hosts.md says what is signed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "actors/link/wire/wire.hpp"

namespace annals::wire {

struct signature {
  std::string bytes;            // ECDSA over SHA-256, DER
  std::string certificate_pem;  // whose key it is
};

class signer {
 public:
  explicit signer(const credentials& c);  // throws wire_error
  ~signer();
  // `purpose` is signed along, so that what was signed for one purpose is worthless for another.
  signature sign(std::string_view purpose, schema::byte_span bytes) const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

class signature_check {
 public:
  explicit signature_check(const credentials& c);  // of its files only the CA's certificate is read; throws wire_error
  ~signature_check();
  // Who signed. Throws wire_error with the reason: not a certificate of the CA, not that key's signature over these bytes.
  identity signer_of(std::string_view purpose, schema::byte_span bytes, const signature& s) const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace annals::wire
