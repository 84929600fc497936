// What pbs_get_attribute_errors tells: which of the attributes that a call was given the server refused. It refuses one request as
// a whole, at the first attribute that is wrong, so there is one or none.
#pragma once

#include <string>

#include "tools/libpbs/failure.hpp"
#include "tools/libpbs/include/pbs_ifl.h"

namespace annals::ifl {

// Owns the copies that the answer points to; until clear() or find(). Not copied: it points into itself.
class attribute_errors {
 public:
  attribute_errors() = default;
  attribute_errors(const attribute_errors&) = delete;
  attribute_errors& operator=(const attribute_errors&) = delete;

  void clear() { told_.ecl_numerrors = 0; }
  // Looks for the attribute of `given` that `why` is about: the one that its text names, or the only one. List: attrl or attropl.
  template <class List>
  void find(const List* given, const failure& why);
  // null: nothing to tell
  ecl_attribute_errors* told() { return told_.ecl_numerrors > 0 ? &told_ : nullptr; }

 private:
  std::string name_, resource_, value_, text_;
  attropl wrong_{};
  ecl_attrerr one_{};
  ecl_attribute_errors told_{};
};

}  // namespace annals::ifl
