// Containers and pointers of host code: declared for parsing, never defined.
#ifndef KERNELSET_THRUST_CONTAINERS_H
#define KERNELSET_THRUST_CONTAINERS_H

namespace thrust {

template <class T> struct device_reference {
  operator T() const;
  device_reference& operator=(const T&);
};
template <class T> struct device_ptr {
  using value_type = T;
  using reference = T&;
  using pointer = device_ptr;
  using difference_type = ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  T* raw = nullptr;
  device_ptr() = default;
  KS_THRUST explicit device_ptr(T* raw) : raw(raw) {}
  KS_THRUST T* get() const { return raw; }
  KS_THRUST T& operator*() const { return *raw; }
  KS_THRUST T& operator[](ptrdiff_t at) const { return raw[at]; }
  KS_THRUST device_ptr& operator++() { ++raw; return *this; }
  KS_THRUST device_ptr& operator+=(ptrdiff_t by) { raw += by; return *this; }
  KS_THRUST device_ptr operator+(ptrdiff_t by) const { return device_ptr(raw + by); }
  KS_THRUST ptrdiff_t operator-(device_ptr o) const { return raw - o.raw; }
  KS_THRUST bool operator==(device_ptr o) const { return raw == o.raw; }
  KS_THRUST bool operator!=(device_ptr o) const { return raw != o.raw; }
};
template <class T> KS_THRUST device_ptr<T> device_pointer_cast(T* raw) { return device_ptr<T>(raw); }
template <class T> KS_THRUST T* raw_pointer_cast(device_ptr<T> place) { return place.get(); }
template <class T> KS_THRUST T* raw_pointer_cast(T* place) { return place; }
template <class T> device_ptr<T> device_malloc(size_t);
template <class T> void device_free(device_ptr<T>);

template <class T, class Iterator> struct vector_base {
  using value_type = T;
  using iterator = Iterator;
  using const_iterator = Iterator;
  vector_base();
  template <class... Arguments> explicit vector_base(Arguments&&...);
  template <class Container, class = typename Container::value_type> vector_base(const Container&);
  template <class Other> vector_base& operator=(const Other&);
  Iterator begin() const;
  Iterator end() const;
  Iterator data() const;
  size_t size() const;
  size_t capacity() const;
  bool empty() const;
  T& operator[](size_t) const;
  T& front() const;
  T& back() const;
  void push_back(const T&);
  void pop_back();
  void clear();
  void shrink_to_fit();
  void reserve(size_t);
  template <class... Arguments> void resize(Arguments&&...);
  template <class... Arguments> void assign(Arguments&&...);
  template <class... Arguments> Iterator erase(Arguments&&...);
  template <class... Arguments> Iterator insert(Arguments&&...);
  void swap(vector_base&);
};
template <class T, class = void> struct device_vector : vector_base<T, device_ptr<T>> {
  using vector_base<T, device_ptr<T>>::vector_base;
  using vector_base<T, device_ptr<T>>::operator=;
};
template <class T, class = void> struct host_vector : vector_base<T, T*> {
  using vector_base<T, T*>::vector_base;
  using vector_base<T, T*>::operator=;
};
template <class T, class = void> struct universal_vector : vector_base<T, T*> {
  using vector_base<T, T*>::vector_base;
  using vector_base<T, T*>::operator=;
};

}  // namespace thrust

#endif
