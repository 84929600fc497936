// Words that hooks set on two hosts, cut at a line's end: whatever they are, what the job shows of them is printed, as text and as data.
#include <nlohmann/json.hpp>
#include <string>

#include "events/model/used_words.hpp"
#include "test/fuzz/round_trip.hpp"
#include "tools/client/print/used_object.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const auto cut = text.find('\n');
  const auto second = cut == std::string::npos ? std::nullopt : std::optional(std::string_view(text).substr(cut + 1));
  const model::host_word words[] = {{"n1", std::string_view(text).substr(0, cut)}, {"n2", second}};
  for (const auto form : {model::words_form::by_node, model::words_form::merge}) {
    const auto shown = model::joined_words(words, attributes::value_type::string, form);
    if (!shown) continue;
    client::json_document document("Jobs");
    std::string out = "{";
    const bool is_object = client::put_object_in(document, out, 1, "foo", *shown);
    // A table of hosts, and objects that were made one, are data; so is all that is put.
    const bool is_data = nlohmann::json::accept(out + "}");
    const bool is_table = shown->starts_with("{\"n1\": ") || shown->starts_with("'{");
    if (!is_data || (second && is_table && !is_object)) __builtin_trap();
  }
  return 0;
}
