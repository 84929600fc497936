#include "actors/link/wire/signing.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>

#include "actors/link/wire/tls.hpp"

namespace annals::wire {

namespace {

using digest_ptr = std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX_free>>;
using store_ptr = std::unique_ptr<X509_STORE, freed_by<X509_STORE_free>>;
using store_context_ptr = std::unique_ptr<X509_STORE_CTX, freed_by<X509_STORE_CTX_free>>;

constexpr std::size_t certificate_bytes_max = 16u << 10;  // ours have about 1 KB
constexpr std::size_t signature_bytes_max = 1024;         // P-256: about 72

// The purpose, ended by a NUL byte that no purpose contains, then the bytes.
std::string signed_text(std::string_view purpose, schema::byte_span bytes) {
  std::string text(purpose);
  text += '\0';
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text;
}

const unsigned char* raw(const std::string& s) { return reinterpret_cast<const unsigned char*>(s.data()); }

std::string pem_text(X509* certificate) {
  const bio_ptr bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), certificate) != 1) throw openssl_error("printing a certificate");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

// -- sign --------------------------------------------------------------------------------------------------------------------

struct signer::impl {
  key_ptr key;
  std::string certificate_pem;
};

signer::signer(const credentials& c) : impl_(std::make_unique<impl>()) {
  impl_->key = find_key(read_pem_file(c.key_file, true));
  const auto certificate = find_certificate(read_pem_file(c.certificate_file, false), false);
  if (!impl_->key) throw wire_error(c.key_file + ": holds no private key");
  if (!certificate) throw wire_error(c.certificate_file + ": holds no certificate");
  impl_->certificate_pem = pem_text(certificate.get());
}
signer::~signer() = default;

signature signer::sign(std::string_view purpose, schema::byte_span bytes) const {
  const auto text = signed_text(purpose, bytes);
  const digest_ptr digest(EVP_MD_CTX_new());
  std::size_t size = 0;
  if (!digest || EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, impl_->key.get()) != 1 ||
      EVP_DigestSign(digest.get(), nullptr, &size, raw(text), text.size()) != 1)
    throw openssl_error("signing");
  std::string out(size, '\0');
  if (EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(out.data()), &size, raw(text), text.size()) != 1)
    throw openssl_error("signing");
  out.resize(size);
  return {std::move(out), impl_->certificate_pem};
}

// -- check -------------------------------------------------------------------------------------------------------------------

struct signature_check::impl {
  store_ptr trusted;
};

signature_check::signature_check(const credentials& c) : impl_(std::make_unique<impl>()) {
  const auto ca = find_certificate(read_pem_file(c.ca_file, false), true);
  if (!ca) throw wire_error(c.ca_file + ": holds no CA certificate");
  impl_->trusted.reset(X509_STORE_new());
  if (!impl_->trusted || X509_STORE_add_cert(impl_->trusted.get(), ca.get()) != 1) throw openssl_error(c.ca_file);
}
signature_check::~signature_check() = default;

identity signature_check::signer_of(std::string_view purpose, schema::byte_span bytes, const signature& s) const {
  if (s.certificate_pem.size() > certificate_bytes_max || s.bytes.size() > signature_bytes_max) throw wire_error("too long a signature");
  const auto certificate = find_certificate(s.certificate_pem, false);
  ERR_clear_error();
  if (!certificate) throw wire_error("no certificate");
  const store_context_ptr chain(X509_STORE_CTX_new());
  if (!chain || X509_STORE_CTX_init(chain.get(), impl_->trusted.get(), certificate.get(), nullptr) != 1)
    throw openssl_error("checking a certificate");
  if (X509_verify_cert(chain.get()) != 1) {
    const std::string why = X509_verify_cert_error_string(X509_STORE_CTX_get_error(chain.get()));
    ERR_clear_error();
    throw wire_error("not a certificate of this cluster: " + why);
  }
  const auto text = signed_text(purpose, bytes);
  const digest_ptr digest(EVP_MD_CTX_new());
  if (!digest || EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, X509_get0_pubkey(certificate.get())) != 1)
    throw openssl_error("checking a signature");
  const bool right = EVP_DigestVerify(digest.get(), raw(s.bytes), s.bytes.size(), raw(text), text.size()) == 1;
  ERR_clear_error();
  if (!right) throw wire_error("not signed by the owner of the certificate");
  return identity_in(certificate.get());
}

}  // namespace annals::wire
