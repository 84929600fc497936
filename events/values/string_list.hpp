// Comma lists (string_array values, -v lists): elements may hold a comma as "\," and a backslash as "\\".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace annals::values {

// Splits at unescaped commas and takes the escapes away. An empty text has no elements. Blanks belong to the elements:
// a variable of a job's environment may end in one.
std::vector<std::string> split_list(std::string_view text);
// The same without unescaped blanks around elements, for lists that people write: "q1, q2".
std::vector<std::string> split_trimmed(std::string_view text);
// The inverse: escapes commas and backslashes.
std::string join_list(const std::vector<std::string>& elements);
std::string escape_element(std::string_view element);
void append_escaped(std::string& out, std::string_view element);

// Splits at unescaped commas outside '...' and "..."; quotes and escapes are left in. What "-l a=b,c='x,y'" needs.
std::vector<std::string_view> split_quoted(std::string_view text, char separator = ',');
// Takes one pair of surrounding quotes away.
std::string_view unquoted(std::string_view text);

// Without blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);
// Equal without regard to the case of ASCII letters.
bool equal_any_case(std::string_view a, std::string_view b);
std::string lower_case(std::string_view text);

}  // namespace annals::values
