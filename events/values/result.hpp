// A value or the reason there is none. What a parser of outside text returns when callers must tell failures apart;
// parsers with a single way to fail return std::optional.
#pragma once

#include <utility>
#include <variant>

namespace annals::values {

template <class T, class E>
class result {
 public:
  result(T value) : held_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: a value is a result
  result(E error) : held_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: so is an error
  explicit operator bool() const { return held_.index() == 0; }
  const T& operator*() const { return std::get<0>(held_); }
  T& operator*() { return std::get<0>(held_); }
  const T* operator->() const { return &std::get<0>(held_); }
  T* operator->() { return &std::get<0>(held_); }
  const E& error() const { return std::get<1>(held_); }

 private:
  std::variant<T, E> held_;
};

}  // namespace annals::values
