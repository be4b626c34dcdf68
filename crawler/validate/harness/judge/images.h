// What a runner is given and what it gives back: buffers with a guard on each side, and whether what came out is right.
#pragma once
#include <cstdio>

#include "cases.h"

namespace test {

using Images = std::vector<Bytes>;  // of each buffer, with its guards

// what nobody has written: a NaN; on each side one that changes when something is added to it
static unsigned char guard_byte(size_t at, bool second) {
  static const unsigned char bytes[2][2] = {{0xa5, 0xff}, {0x3c, 0x5a}};
  return bytes[second][at % 2];
}
static bool is_outside(const Buffer& buffer, size_t at) { return at < guard || at >= guard + buffer.size; }

// `second` takes other guards: whatever reads them gives something else
static Images images_before(const Case& one, bool second = false) {
  Images all;
  for (const Buffer& buffer : one.buffers) {
    Bytes bytes(buffer.size + 2 * guard, 0xff);
    for (size_t at = 0; at < bytes.size(); ++at) {
      if (is_outside(buffer, at)) bytes[at] = guard_byte(at, second);
    }
    std::copy_n(buffer.content.begin(), std::min(buffer.content.size(), buffer.size), bytes.begin() + guard);
    all.push_back(bytes);
  }
  return all;
}
static void add_number(Bytes& to, long long value) {
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof(value));
}
static void add_memory(Bytes& to, const Bytes& bytes, const std::vector<Link>& links, size_t own_guard) {
  add_number(to, (long long)bytes.size());
  to.insert(to.end(), bytes.begin(), bytes.end());
  add_number(to, (long long)links.size());
  for (const Link& link : links) {
    add_number(to, (long long)(link.at + own_guard));
    add_number(to, link.buffer);
    add_number(to, link.offset + (long long)guard);
  }
}
// a case as the runner reads it: no name, no gold
static Bytes message_of(const Case& one, const Images& before) {
  Bytes message;
  add_number(message, one.kernel);
  for (long long extent : one.grid) add_number(message, extent);
  for (long long extent : one.block) add_number(message, extent);
  add_number(message, one.shared);
  add_number(message, (long long)one.buffers.size());
  for (size_t at = 0; at < before.size(); ++at) add_memory(message, before[at], one.buffers[at].links, guard);
  add_number(message, (long long)one.arguments.size());
  for (const Argument& argument : one.arguments) add_memory(message, argument.bytes, argument.links, 0);
  return message;
}
static size_t size_of_images(const Case& one) {
  size_t size = 0;
  for (const Buffer& buffer : one.buffers) size += buffer.size + 2 * guard;
  return size;
}
// the bytes of all buffers, one after another, as images
static Images split_images(const Case& one, const Bytes& all) {
  Images images;
  auto from = all.begin();
  for (const Buffer& buffer : one.buffers) {
    const auto to = from + long(buffer.size + 2 * guard);
    images.emplace_back(from, to);
    from = to;
  }
  return images;
}
// an address is of one process alone: in each image all that stands where addresses stand is 0
static void blank_addresses(const Case& one, Images& images) {
  for (size_t number = 0; number < images.size(); ++number) {
    for (const Link& link : one.buffers[number].links) {
      std::fill_n(images[number].begin() + long(guard + link.at), sizeof(void*), (unsigned char)0);
    }
  }
}
static std::string difference(const Buffer& buffer, size_t at, const Bytes& gold, const Bytes& after, const char* why) {
  char text[256];
  const size_t size = size_of(buffer.type), number = (at - guard) / size, begin = guard + number * size;
  if (begin + size > guard + buffer.size) return buffer.name + ": its last bytes are not those expected";
  snprintf(text, sizeof(text), "%s[%zu] is %.9g where %.9g is expected%s", buffer.name.c_str(), number / size_t(buffer.lanes),
           value_of(buffer.type, after.data() + begin), value_of(buffer.type, gold.data() + begin), why);
  return text;
}
// empty where `after` is right, else what is wrong with it
static std::string compared(const Buffer& buffer, const Bytes& gold, const Bytes& after) {
  for (size_t at = 0; at < after.size(); ++at) {
    if (is_outside(buffer, at) && after[at] != gold[at]) return buffer.name + ": something was written outside it";
  }
  if (buffer.is_free()) return "";
  const size_t size = size_of(buffer.type), end = guard + buffer.size;
  for (size_t at = guard; at < end; ++at) {
    const bool written = at - guard >= buffer.written_begin && at - guard < buffer.written_end;
    if (written && at + size <= end && (at - guard) % size == 0) {
      if (!is_right(buffer.type, buffer.absolute, buffer.relative, gold.data() + at, after.data() + at)) {
        return difference(buffer, at, gold, after, "");
      }
      at += size - 1;
    } else if (gold[at] != after[at]) {
      return difference(buffer, at, gold, after, written ? "" : ", where the kernel never writes");
    }
  }
  return "";
}
static std::string compared(const Case& one, Images gold, Images after) {
  blank_addresses(one, gold);
  blank_addresses(one, after);
  for (size_t at = 0; at < after.size(); ++at) {
    const std::string wrong = compared(one.buffers[at], gold[at], after[at]);
    if (!wrong.empty()) return wrong;
  }
  return "";
}
// what ought to come out of a case that is shown
static Images golden_images(const Case& one) {
  Images images = images_before(one);
  for (size_t at = 0; at < images.size(); ++at) {
    const Buffer& buffer = one.buffers[at];
    std::copy_n(buffer.gold.begin(), std::min(buffer.gold.size(), buffer.size), images[at].begin() + guard);
  }
  return images;
}

}  // namespace test
