#include "actors/link/wire/tls.hpp"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include "actors/link/wire/socket_path.hpp"

namespace annals::wire {

namespace {

constexpr std::string_view scheme = "annals:";
constexpr identity::kind remote_kinds[] = {identity::kind::mom, identity::kind::scheduler, identity::kind::server, identity::kind::comm,
                                           identity::kind::follower};

using names_ptr = std::unique_ptr<GENERAL_NAMES, freed_by<GENERAL_NAMES_free>>;

bio_ptr reading(const std::string& text) { return bio_ptr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// "mom/n1" -> {mom, "n1"}
bool parse_identity(std::string_view text, identity& who) {
  for (const auto what : remote_kinds) {
    const std::string start = std::string(word_of(what)) + "/";
    if (!text.starts_with(start) || text.size() == start.size()) continue;
    who.what = what;
    who.name = text.substr(start.size());
    return true;
  }
  return false;
}

// A password would be asked for on the terminal; our keys have none.
int no_password(char*, int, int, void*) { return 0; }

}  // namespace

const char* word_of(identity::kind what) {
  switch (what) {
    case identity::kind::local: return "local";
    case identity::kind::mom: return "mom";
    case identity::kind::scheduler: return "scheduler";
    case identity::kind::server: return "server";
    case identity::kind::comm: return "comm";
    case identity::kind::follower: return "follower";
    case identity::kind::remote: return "remote";
  }
  return "";
}

wire_error openssl_error(const std::string& what) {
  std::string text = what;
  char reason[256];
  while (const auto code = ERR_get_error()) {
    ERR_error_string_n(code, reason, sizeof reason);
    text += std::string(": ") + reason;
  }
  return wire_error(text);
}

std::string identity_uri(identity::kind what, const std::string& name) {
  return std::string(scheme) + word_of(what) + "/" + name;
}

identity identity_in(X509* certificate) {
  const names_ptr names(static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  identity who;
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    const auto* uri = name->d.uniformResourceIdentifier;
    const std::string_view text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(uri)),
                                static_cast<std::size_t>(ASN1_STRING_length(uri)));
    if (text.starts_with(scheme) && parse_identity(text.substr(scheme.size()), who)) return who;
  }
  throw wire_error("the certificate is for no daemon of a cluster");
}

identity identity_in_file(const std::string& certificate_file) {
  const auto certificate = find_certificate(read_pem_file(certificate_file, false), false);
  if (!certificate) throw wire_error(certificate_file + ": holds no certificate of a daemon");
  return identity_in(certificate.get());
}

std::string read_pem_file(const std::string& path, bool is_private) {
  constexpr off_t size_max = 1 << 20;  // a bundle has 3 KB
  const unique_fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat s {};
  if (!fd || ::fstat(fd.get(), &s) != 0) throw wire_error(with_errno(path));
  if (!S_ISREG(s.st_mode)) throw wire_error(path + ": not a file");
  if (is_private && (s.st_mode & 077) != 0) throw wire_error(path + ": others may read this private key (chmod 600 helps)");
  if (s.st_size > size_max) throw wire_error(path + ": too large for a PEM file");
  std::string text(static_cast<std::size_t>(s.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t n = ::read(fd.get(), text.data() + have, text.size() - have);
    if (n < 0) throw wire_error(with_errno(path));
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  text.resize(have);
  return text;
}

key_ptr find_key(const std::string& pem) {
  const auto bio = reading(pem);
  key_ptr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  return key;
}

x509_ptr find_certificate(const std::string& pem, bool of_a_ca) {
  const auto bio = reading(pem);
  while (x509_ptr certificate{PEM_read_bio_X509(bio.get(), nullptr, no_password, nullptr)})
    if ((X509_check_ca(certificate.get()) != 0) == of_a_ca) return certificate;
  ERR_clear_error();
  return nullptr;
}

tls_context::tls_context(const credentials& c) : ssl(SSL_CTX_new(TLS_method())) {
  if (!ssl) throw openssl_error("TLS");
  const auto ca = find_certificate(read_pem_file(c.ca_file, false), true);
  if (!ca) throw wire_error(c.ca_file + ": holds no CA certificate");
  const auto certificate = find_certificate(read_pem_file(c.certificate_file, false), false);
  if (!certificate) throw wire_error(c.certificate_file + ": holds no certificate of a daemon");
  const auto key = find_key(read_pem_file(c.key_file, true));
  if (!key) throw wire_error(c.key_file + ": holds no private key");

  SSL_CTX* s = ssl.get();
  SSL_CTX_set_min_proto_version(s, TLS1_3_VERSION);
  SSL_CTX_set_num_tickets(s, 0);  // connections live for days: nothing to resume
  SSL_CTX_set_read_ahead(s, 1);   // a system call for what is there, not two for each record
  // Most connections are idle most of the time; what the socket did not take is offered again with whatever came after it.
  SSL_CTX_set_mode(s, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_mode(s, SSL_MODE_NO_AUTO_CHAIN);  // the peer has the CA's certificate
  SSL_CTX_set_verify(s, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  if (X509_STORE_add_cert(SSL_CTX_get_cert_store(s), ca.get()) != 1) throw openssl_error(c.ca_file);
  if (SSL_CTX_use_certificate(s, certificate.get()) != 1) throw openssl_error(c.certificate_file);
  if (SSL_CTX_use_PrivateKey(s, key.get()) != 1 || SSL_CTX_check_private_key(s) != 1)
    throw openssl_error(c.key_file + ": not the key of " + c.certificate_file);
}

}  // namespace annals::wire
