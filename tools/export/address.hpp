// Addresses of PostgreSQL, as people name a database.
#pragma once

#include <string>

namespace annals::exporting {

inline bool is_postgres(const std::string& address) {
  return address.starts_with("postgresql://") || address.starts_with("postgres://");
}

// The address as it may be shown: without user and password, and without all that stands behind '?'.
inline std::string without_password(const std::string& address) {
  const auto scheme = address.find("://"), at = address.rfind('@');
  if (!is_postgres(address) || at == std::string::npos || at < scheme) return address;
  return address.substr(0, scheme + 3) + address.substr(at + 1, address.find('?', at) - at - 1);
}

}  // namespace annals::exporting
