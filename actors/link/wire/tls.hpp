// Certificates of the cluster: what OpenSSL needs to prove who we are and to check who the peer is, and how an identity
// stands in a certificate (docs/design/0003-links.md).
#pragma once

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

#include "actors/link/wire/wire.hpp"

namespace annals::wire {

template <auto free_it>
struct freed_by {
  template <class T>
  void operator()(T* p) const { free_it(p); }
};
using x509_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free_all>>;

// TLS 1.3 only, a certificate of the CA required on both sides. Throws wire_error naming the file and what is wrong.
struct tls_context {
  std::unique_ptr<SSL_CTX, freed_by<SSL_CTX_free>> ssl;
  explicit tls_context(const credentials& c);
};

// The identity in a certificate of our CA: its subject alternative name "annals:<kind>/<name>". Throws wire_error.
identity identity_in(X509* certificate);
std::string identity_uri(identity::kind what, const std::string& name);

// A PEM file's text. A private file must be for its owner only.
std::string read_pem_file(const std::string& path, bool is_private);
// The first private key in a PEM text, and its first certificate that is, or is not, of a CA; empty when there is none.
key_ptr find_key(const std::string& pem);
x509_ptr find_certificate(const std::string& pem, bool of_a_ca);
// "what: the reasons OpenSSL gives", and forgets them.
wire_error openssl_error(const std::string& what);

}  // namespace annals::wire
