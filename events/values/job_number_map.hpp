// A map from the numbers of jobs, arrays and subjobs (events/values/job_id.hpp) to others. The subjobs of an array lie side by side in it.
#pragma once

#include <bit>
#include <optional>

#include "events/values/dense_map.hpp"
#include "events/values/job_id.hpp"

namespace annals::values {

class job_number_map {
 public:
  bool operator==(const job_number_map&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.whole_, self.subjobs_);
  }
  // Nothing: there is none.
  std::optional<std::uint64_t> find(std::uint64_t number) const { return of(number).find(key(number)); }
  bool contains(std::uint64_t number) const { return of(number).contains(key(number)); }
  void put(std::uint64_t number, std::uint64_t value) { of(number).put(key(number), value); }
  bool erase(std::uint64_t number) { return of(number).erase(key(number)); }
  std::size_t size_without_subjobs() const { return whole_.size(); }

  // Goes through them in order, while they are not changed.
  class cursor {
   public:
    cursor() = default;
    explicit operator bool() const { return static_cast<bool>(at_); }
    std::uint64_t number() const { return of_subjobs_ ? std::rotl(at_.key(), number_bits) : at_.key(); }
    std::uint64_t value() const { return at_.value(); }
    void next() { at_.next(); }

   private:
    friend class job_number_map;
    cursor(dense_numbers::cursor at, bool of_subjobs) : at_(at), of_subjobs_(of_subjobs) {}
    dense_numbers::cursor at_;
    bool of_subjobs_ = false;
  };
  cursor jobs(std::uint64_t from = 0) const { return {whole_.from(from), false}; }  // and arrays, from this number on
  cursor job_before(std::uint64_t number) const { return {whole_.before(number), false}; }
  // By array and index, from this array's first one on.
  cursor subjobs(std::uint64_t array = 0) const { return {subjobs_.from(key(subjob_number(array, 0))), true}; }

 private:
  // Of a subjob: its array's number, then its index.
  static std::uint64_t key(std::uint64_t number) { return is_subjob(number) ? std::rotr(number, number_bits) : number; }
  const dense_numbers& of(std::uint64_t number) const { return is_subjob(number) ? subjobs_ : whole_; }
  dense_numbers& of(std::uint64_t number) { return is_subjob(number) ? subjobs_ : whole_; }

  dense_numbers whole_, subjobs_;
};

}  // namespace annals::values
