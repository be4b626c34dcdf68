// NVTX for C++: ranges that last as long as an object. Declared only.
#pragma once
#include <nvtx3/nvToolsExt.h>

namespace nvtx3 {
struct domain {
  struct global {};
  template <class D = global> static const domain &get();
  operator nvtxDomainHandle_t() const;
};
struct rgb {
  rgb(uint8_t red, uint8_t green, uint8_t blue);
};
struct argb {
  argb(uint8_t alpha, uint8_t red, uint8_t green, uint8_t blue);
};
struct color {
  explicit color(uint32_t hexadecimal);
  color(argb);
  color(rgb);
};
struct category {
  explicit category(uint32_t id);
};
template <class D = domain::global> struct named_category_in : category {
  template <class... Name> named_category_in(uint32_t id, Name &&...);
  template <class C> static const named_category_in &get();
};
using named_category = named_category_in<>;
template <class D = domain::global> struct registered_string_in {
  template <class... Text> explicit registered_string_in(Text &&...);
  template <class M> static const registered_string_in &get();
};
using registered_string = registered_string_in<>;
struct message {
  template <class... Text> message(Text &&...);
};
struct payload {
  template <class Number> explicit payload(Number);
};
struct event_attributes {
  template <class... Given> explicit event_attributes(Given &&...);
  const nvtxEventAttributes_t *get() const;
};
template <class D = domain::global> struct scoped_range_in {
  template <class... Given> explicit scoped_range_in(Given &&...);
  scoped_range_in(const scoped_range_in &) = delete;
  ~scoped_range_in();
};
using scoped_range = scoped_range_in<>;
template <class D = domain::global> struct unique_range_in {
  template <class... Given> explicit unique_range_in(Given &&...);
  ~unique_range_in();
};
using unique_range = unique_range_in<>;
struct range_handle {
  nvtxRangeId_t get_value() const;
};
template <class D = domain::global, class... Given> range_handle start_range_in(Given &&...);
template <class... Given> range_handle start_range(Given &&...);
template <class D = domain::global> void end_range_in(range_handle);
void end_range(range_handle);
template <class D = domain::global, class... Given> void mark_in(Given &&...);
template <class... Given> void mark(Given &&...);
}

#define NVTX3_FUNC_RANGE_IN(D) ::nvtx3::scoped_range_in<D> nvtx3_range__{__func__}
#define NVTX3_FUNC_RANGE() NVTX3_FUNC_RANGE_IN(::nvtx3::domain::global)
