// `extern __shared__ T name[];` of a candidate, in the words that runners define for a device and for a CPU.
#pragma once
#include <cctype>
#include <string>

namespace test {

class SharedMemoryWords {
 public:
  explicit SharedMemoryWords(const std::string& source) : source_(source) {}
  std::string rewritten() {
    std::string text;
    while (at_ < source_.size()) {
      const size_t begin = at_;
      const std::string word = token();
      text += word == "extern" ? declaration(begin) : source_.substr(begin, at_ - begin);
    }
    return text;
  }

 private:
  static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_'; }
  bool stands(const char* text) const { return !source_.compare(at_, std::char_traits<char>::length(text), text); }
  void skip_to(const char* end) {
    const size_t found = source_.find(end, at_ + 2);
    at_ = found == std::string::npos ? source_.size() : found + std::char_traits<char>::length(end);
  }
  void skip_literal(char quote) {
    for (++at_; at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n'; ++at_) at_ += source_[at_] == '\\';
    at_ = at_ < source_.size() ? at_ + 1 : source_.size();
  }
  // the name that begins here, or one character; empty for what is none of the two, such as a comment
  std::string token() {
    if (stands("//")) return skip_to("\n"), "";
    if (stands("/*")) return skip_to("*/"), "";
    if (source_[at_] == '"' || source_[at_] == '\'') return skip_literal(source_[at_]), "";
    const size_t begin = at_++;
    while (is_of_name(source_[begin]) && at_ < source_.size() && is_of_name(source_[at_])) ++at_;
    return source_.substr(begin, at_ - begin);
  }
  // from `extern` on: up to its semicolon where it is one of dynamic shared memory, else that word alone
  std::string declaration(size_t begin) {
    const size_t after = at_;
    std::string text = "OPEN_SHARED";
    size_t name_begin = 0, name_size = 0;
    bool is_shared = false, has_bound = false;
    for (int left = 64; left && at_ < source_.size(); --left) {
      const size_t from = at_;
      const std::string word = token();
      if (word == "{" || word == "}") break;
      if (word == ";" && is_shared && name_size) {
        text.replace(name_begin, name_size, "OPEN_NAME(" + text.substr(name_begin, name_size) + ")");
        return text + " OPEN_END;";
      }
      if (word == ";") break;
      has_bound = has_bound || word == "[";
      if (word == "__shared__") {
        is_shared = true;
        continue;
      }
      if (!has_bound && !word.empty() && is_of_name(word[0]) && !isdigit((unsigned char)word[0])) {
        name_begin = text.size();
        name_size = word.size();
      }
      text += source_.substr(from, at_ - from);
    }
    at_ = after;
    return source_.substr(begin, after - begin);
  }

  const std::string source_;
  size_t at_ = 0;
};

}  // namespace test
