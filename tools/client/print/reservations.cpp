#include "tools/client/print/reservations.hpp"

#include <charconv>
#include <ctime>
#include <optional>
#include <utility>

#include "events/attributes/ids.hpp"
#include "tools/client/print/full.hpp"
#include "tools/client/print/shown.hpp"

namespace annals::client {
namespace {

namespace reservation = attributes::reservation;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (bad != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

std::string formatted(std::int64_t seconds, const char* form) {
  const std::time_t t = static_cast<std::time_t>(seconds);
  std::tm local{};
  localtime_r(&t, &local);
  char text[64];
  return {text, std::strftime(text, sizeof text, form, &local)};
}

void put_padded(std::string& out, std::string_view value, std::size_t width) {
  const shown printable(value);
  const std::string_view text = printable;
  out.append(text);
  if (text.size() < width) out.append(width - text.size(), ' ');
}

// "CO" of "RESV_CONFIRMED"; a state that this program does not know is shown as it is.
std::string_view short_state(std::string_view name) {
  static constexpr std::string_view states[][2] = {
      {"RESV_NONE", "NO"},
      {"RESV_UNCONFIRMED", "UN"},
      {"RESV_CONFIRMED", "CO"},
      {"RESV_WAIT", "WT"},
      {"RESV_TIME_TO_RUN", "TR"},
      {"RESV_RUNNING", "RN"},
      {"RESV_FINISHED", "FN"},
      {"RESV_BEING_DELETED", "BD"},
      {"RESV_DELETED", "DE"},
      {"RESV_DELETING_JOBS", "DJ"},
      {"RESV_DEGRADED", "DG"},
      {"RESV_BEING_ALTERED", "AL"},
      {"RESV_IN_CONFLICT", "IC"},
  };
  for (const auto& state : states)
    if (state[0] == name) return state[1];
  return name;
}

constexpr std::string_view heading =
    "Resv ID    Queue    User     State             Start / Duration / End              \n"
    "---------------------------------------------------------------------\n";

class table : public object_form {
 public:
  explicit table(std::int64_t now) : now_(now) {}

  std::span<const attributes::attribute_id> wanted() const override {
    static constexpr attributes::attribute_id ids[] = {reservation::reserve_state, reservation::reserve_start, reservation::reserve_end,
                                                       reservation::reserve_duration, reservation::queue, reservation::Authorized_Users};
    return ids;
  }

  void put(std::string& out, const object_view& r) override {
    if (!begun_) out.append(heading);
    begun_ = true;
    constexpr std::size_t user_columns = 8, time_columns = 17;
    put_padded(out, r.name, 10);
    out.push_back(' ');
    put_padded(out, value_of(r, reservation::queue), 8);
    out.push_back(' ');
    put_padded(out, value_of(r, reservation::Authorized_Users).substr(0, user_columns), user_columns);
    out.push_back(' ');
    put_padded(out, short_state(value_of(r, reservation::reserve_state)), 5);
    out.push_back(' ');
    const std::string start = reservation_time(value_of(r, reservation::reserve_start), now_);
    if (start.size() < time_columns) out.append(time_columns - start.size(), ' ');
    out.append(start).append(" / ").append(value_of(r, reservation::reserve_duration)).append(" / ");
    put_padded(out, reservation_time(value_of(r, reservation::reserve_end), now_), time_columns);
    out.push_back('\n');
  }

 private:
  const std::int64_t now_;
  bool begun_ = false;
};

class full : public object_form {
 public:
  // Until it is altered place comes behind select.
  void put(std::string& out, const object_view& r) override {
    out.append("Resv ID: ").append(r.name).push_back('\n');
    const bool sorted = !value_of(r, reservation::schedselect_orig).empty();
    std::optional<attributes::entry> place;
    for_each_attribute(r.packed, [&](const attributes::entry& e) {
      if (place && (e.id != reservation::Resource_List || e.resource > "select")) put_line(out, *std::exchange(place, std::nullopt));
      if (!sorted && e.id == reservation::Resource_List && e.resource == "place") place = e;
      else put_line(out, e);
    });
    if (place) put_line(out, *place);
    out.push_back('\n');
  }

 private:
  void put_line(std::string& out, const attributes::entry& e) const {
    const label* l = labels_.find(e.id);
    if (!l) return;
    put_attribute_name(out, *l, e.resource);
    out.append(" = ");
    // Unlike other commands' dates these have two digits of a day below ten.
    const auto seconds = is_date(*l, e.resource) ? number_of(e.value) : std::nullopt;
    out.append(seconds ? formatted(*seconds, "%a %b %d %H:%M:%S %Y") : std::string(shown(e.value, line_ends::continue_line)))
        .push_back('\n');
  }

  labels labels_{schema::ObjectKind::RESERVATION};
};

class names : public object_form {
 public:
  std::span<const attributes::attribute_id> wanted() const override {
    static constexpr attributes::attribute_id ids[] = {reservation::queue};
    return ids;
  }
  void put(std::string& out, const object_view& r) override { out.append("Resv ID: ").append(r.name).push_back('\n'); }
};

}  // namespace

std::string reservation_time(std::string_view seconds_since_1970, std::int64_t now) {
  constexpr std::int64_t day_s = 24 * 60 * 60;
  const auto then = number_of(seconds_since_1970);
  if (!then) return std::string(seconds_since_1970);
  if (formatted(*then, "%Y%j") == formatted(now, "%Y%j")) return formatted(*then, "Today %H:%M");
  if (*then - now < day_s && now - *then < day_s) return formatted(*then, "%a %H:%M");
  const bool same_year = formatted(*then, "%Y") == formatted(now, "%Y");
  return formatted(*then, same_year ? "%a %b %d %H:%M" : "%a %b %d %Y %H:%M");
}

object_form_ptr reservation_table_form(std::int64_t now) { return std::make_unique<table>(now); }
object_form_ptr reservation_full_form() { return std::make_unique<full>(); }
object_form_ptr reservation_names_form() { return std::make_unique<names>(); }

}  // namespace annals::client
