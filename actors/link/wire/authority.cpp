// The cluster's certificate authority: a directory with ca.pem and ca.key, and the certificates it gives to daemons.
#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "actors/link/wire/socket_path.hpp"
#include "actors/link/wire/tls.hpp"

namespace annals::wire {

namespace {

constexpr long day_s = 24 * 60 * 60;
// A cluster's CA lives as long as the cluster; a daemon's certificate is renewed with its host.
constexpr long ca_days = 30 * 365, certificate_days = 10 * 365;
constexpr std::size_t name_chars_max = 253;        // of a host name (RFC 1035)
constexpr std::size_t common_name_chars_max = 64;  // X.520's bound; the whole name is in the alternative name

using extension_ptr = std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>>;

key_ptr new_key() {
  key_ptr key(EVP_EC_gen("P-256"));
  if (!key) throw openssl_error("making a key");
  return key;
}

void must(bool ok) {
  if (!ok) throw openssl_error("making a certificate");
}

void add_to_subject(X509* c, const char* field, const std::string& text) {
  must(X509_NAME_add_entry_by_txt(X509_get_subject_name(c), field, MBSTRING_UTF8,
                                  reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()), -1, 0));
}

void add_extension(X509* c, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, c, nullptr, nullptr, 0);
  const extension_ptr e(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  must(e && X509_add_ext(c, e.get(), -1));
}

// Version, a random serial number, validity and key: what every certificate has.
x509_ptr new_certificate(EVP_PKEY* key, long days) {
  x509_ptr c(X509_new());
  must(c && X509_set_version(c.get(), X509_VERSION_3));
  unsigned char serial[16];
  must(RAND_bytes(serial, sizeof serial) == 1);
  serial[0] = static_cast<unsigned char>((serial[0] & 0x7f) | 0x40);  // positive, and always of full length
  const std::unique_ptr<BIGNUM, freed_by<BN_free>> number(BN_bin2bn(serial, sizeof serial, nullptr));
  must(number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(c.get())));
  // From yesterday on: a host whose clock is behind can take part.
  must(X509_gmtime_adj(X509_getm_notBefore(c.get()), -day_s) && X509_gmtime_adj(X509_getm_notAfter(c.get()), days * day_s));
  must(X509_set_pubkey(c.get(), key));
  return c;
}

std::string text_in(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string pem_of(X509* c) {
  const bio_ptr bio(BIO_new(BIO_s_mem()));
  must(bio && PEM_write_bio_X509(bio.get(), c));
  return text_in(bio.get());
}

std::string pem_of(EVP_PKEY* key) {
  const bio_ptr bio(BIO_new(BIO_s_mem()));
  must(bio && PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr));
  return text_in(bio.get());
}

x509_ptr make_ca(EVP_PKEY* key) {
  auto ca = new_certificate(key, ca_days);
  add_to_subject(ca.get(), "O", "annals");
  add_to_subject(ca.get(), "CN", "annals cluster CA");
  must(X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get())));
  add_extension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(ca.get(), ca.get(), NID_subject_key_identifier, "hash");
  must(X509_sign(ca.get(), key, EVP_sha256()));
  return ca;
}

bool is_name(const std::string& name) {
  if (name.empty() || name.size() > name_chars_max) return false;
  for (const char c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-')
      return false;
  return true;
}

void sync_directory(const std::string& path) {
  const unique_fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) throw wire_error(with_errno(path));
}

// Renaming a finished directory into place makes the CA appear whole or not at all. A directory that is there and not
// empty is not replaced: rename() refuses.
void create(const std::string& dir) {
  std::string made = dir + ".new-XXXXXX";
  if (!::mkdtemp(made.data())) throw wire_error(with_errno(made));  // mode 700
  const auto key = new_key();
  create_private_file(made + "/ca.key", pem_of(key.get()));
  create_private_file(made + "/ca.pem", pem_of(make_ca(key.get()).get()));
  sync_directory(made);
  const bool renamed = ::rename(made.c_str(), dir.c_str()) == 0;
  const int error = errno;
  if (!renamed) std::filesystem::remove_all(made);
  errno = error;
  if (!renamed && error != ENOTEMPTY && error != EEXIST) throw wire_error(with_errno(dir));
  if (const auto parent = std::filesystem::path(dir).parent_path(); renamed) sync_directory(parent.empty() ? "." : parent);
}

bool is_missing_or_empty(const std::string& dir) {
  std::error_code ec;
  return !std::filesystem::exists(dir, ec) || std::filesystem::is_empty(dir, ec);
}

}  // namespace

void create_private_file(const std::string& path, const std::string& text) {
  const unique_fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) throw wire_error(with_errno(path));
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const auto error = wire_error(with_errno(path));
      ::unlink(path.c_str());
      throw error;
    }
    done += static_cast<std::size_t>(n);
  }
  if (::fchmod(fd.get(), 0600) != 0 || ::fsync(fd.get()) != 0) throw wire_error(with_errno(path));
}

authority authority::open_or_create(const std::string& dir) {
  std::string plain = dir;
  while (plain.size() > 1 && plain.back() == '/') plain.pop_back();
  if (is_missing_or_empty(plain)) create(plain);
  return open(plain);
}

authority authority::open(const std::string& dir) {
  struct stat s {};
  if (::stat(dir.c_str(), &s) != 0) throw wire_error(with_errno(dir));
  if ((s.st_mode & 077) != 0) throw wire_error(dir + ": others may enter the directory of the CA's key (chmod 700 helps)");
  authority a(dir);
  const auto ca = find_certificate(read_pem_file(a.ca_file_, false), true);
  if (!ca) throw wire_error(a.ca_file_ + ": holds no CA certificate");
  const auto key = find_key(read_pem_file(dir + "/ca.key", true));
  if (!key) throw wire_error(dir + "/ca.key: holds no private key");
  if (X509_check_private_key(ca.get(), key.get()) != 1) {
    ERR_clear_error();
    throw wire_error(dir + "/ca.key: not the key of " + a.ca_file_);
  }
  return a;
}

authority::issued authority::issue(identity::kind what, const std::string& name) const {
  if (what == identity::kind::local || what == identity::kind::remote) throw wire_error("only daemons have certificates");
  if (!is_name(name)) throw wire_error("\"" + name + "\" is no name for a certificate: 1-253 letters, digits, '.', '_', '-'");
  const std::string ca_pem = read_pem_file(ca_file_, false);
  const auto ca = find_certificate(ca_pem, true);
  const auto ca_key = find_key(read_pem_file(dir_ + "/ca.key", true));
  if (!ca || !ca_key) throw wire_error(dir_ + ": the CA's certificate or key is gone");

  const auto key = new_key();
  auto c = new_certificate(key.get(), certificate_days);
  add_to_subject(c.get(), "O", "annals");
  add_to_subject(c.get(), "OU", word_of(what));
  add_to_subject(c.get(), "CN", name.substr(0, common_name_chars_max));
  must(X509_set_issuer_name(c.get(), X509_get_subject_name(ca.get())));
  add_extension(c.get(), ca.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(c.get(), ca.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(c.get(), ca.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  add_extension(c.get(), ca.get(), NID_subject_alt_name, "URI:" + identity_uri(what, name) + ",DNS:" + name);
  add_extension(c.get(), ca.get(), NID_authority_key_identifier, "keyid");
  must(X509_sign(c.get(), ca_key.get(), EVP_sha256()));
  return {pem_of(ca.get()), pem_of(c.get()), pem_of(key.get())};
}

}  // namespace annals::wire
