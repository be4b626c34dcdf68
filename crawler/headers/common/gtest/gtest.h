// GoogleTest as far as a parse needs it: tests of kernels launch them in bodies that TEST heads.
// Rule: GoogleTest, "Testing Reference" and "Assertions Reference". Nothing here runs a test.
#pragma once
#include <initializer_list>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace testing {
struct Message {
  template <typename T> Message &operator<<(const T &) { return *this; }
  Message &operator<<(std::ostream &(*)(std::ostream &)) { return *this; }
};
struct AssertionResult : Message { operator bool() const { return true; } };
AssertionResult AssertionSuccess();
AssertionResult AssertionFailure();
// what may stand before `return` in a function without a value
struct Voids { void operator=(const Message &) const {} };

class TestInfo {
 public:
  const char *name() const;
  const char *test_suite_name() const;
};
class UnitTest {
 public:
  static UnitTest *GetInstance();
  const TestInfo *current_test_info() const;
  int random_seed() const;
};
class Test {
 public:
  virtual ~Test() {}
  static void SetUpTestSuite() {}
  static void TearDownTestSuite() {}
  static bool HasFailure();
  static bool HasFatalFailure();

 protected:
  virtual void SetUp() {}
  virtual void TearDown() {}
};
template <typename T> class WithParamInterface {
 public:
  typedef T ParamType;
  static const ParamType &GetParam();
};
template <typename T> class TestWithParam : public Test, public WithParamInterface<T> {};
template <typename... T> struct Types {};
template <typename T> struct TestParamInfo { T param; unsigned long index; };
struct Generator {};
template <typename... T> Generator Values(const T &...);
template <typename T> Generator ValuesIn(const T &);
template <typename T> Generator ValuesIn(std::initializer_list<T>);
template <typename... T> Generator Combine(const T &...);
template <typename... T> Generator Range(const T &...);
Generator Bool();
void InitGoogleTest(int *, char **);
void InitGoogleTest();
class Environment { public: virtual ~Environment() {} virtual void SetUp() {} virtual void TearDown() {} };
Environment *AddGlobalTestEnvironment(Environment *);
template <typename... T> Message check(const T &...);
template <typename T> T first(Types<T>);
template <typename T, typename... Rest> T first(Types<T, Rest...>);
}  // namespace testing
int RUN_ALL_TESTS();

#define TEST(suite, name) KS_TEST(suite, name, ::testing::Test)
#define TEST_F(suite, name) KS_TEST(suite, name, suite)
#define TEST_P(suite, name) KS_TEST(suite, name, suite)
#define GTEST_TEST(suite, name) TEST(suite, name)
#define KS_TEST(suite, name, base)                       \
  struct suite##_##name##_Test : public base {           \
    void TestBody();                                     \
  };                                                     \
  void suite##_##name##_Test::TestBody()
// a typed test is a template of its fixture's type, used with every type of its suite
#define TYPED_TEST_SUITE(suite, types, ...) typedef types gtest_types_of_##suite
#define TYPED_TEST_CASE(suite, types) TYPED_TEST_SUITE(suite, types)
#define TYPED_TEST(suite, name)                                                                              \
  template <typename KsType> struct suite##_##name##_Test : public suite<KsType> {                           \
    typedef suite<KsType> TestFixture;                                                                       \
    typedef KsType TypeParam;                                                                                \
    void TestBody();                                                                                         \
  };                                                                                                         \
  template <typename... KsTypes> void suite##_##name##_run(::testing::Types<KsTypes...> *) {                 \
    (suite##_##name##_Test<KsTypes>().TestBody(), ...);                                                      \
  }                                                                                                          \
  inline void suite##_##name##_all() { suite##_##name##_run(static_cast<gtest_types_of_##suite *>(nullptr)); } \
  template <typename KsType> void suite##_##name##_Test<KsType>::TestBody()
#define TYPED_TEST_SUITE_P(suite) static_assert(true, "")
#define TYPED_TEST_P(suite, name)                                                  \
  template <typename KsType> struct suite##_##name##_Test : public suite<KsType> { \
    typedef suite<KsType> TestFixture;                                             \
    typedef KsType TypeParam;                                                      \
    void TestBody();                                                               \
  };                                                                               \
  template <typename KsType> void suite##_##name##_Test<KsType>::TestBody()
#define REGISTER_TYPED_TEST_SUITE_P(...) static_assert(true, "")
#define INSTANTIATE_TYPED_TEST_SUITE_P(...) static_assert(true, "")
#define INSTANTIATE_TEST_SUITE_P(...) static_assert(true, "")
#define INSTANTIATE_TEST_CASE_P(...) static_assert(true, "")
#define GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(...) static_assert(true, "")

#define KS_CHECK(...) ::testing::check(__VA_ARGS__)
#define KS_DEMAND(...) if (false) return ::testing::Voids() = KS_CHECK(__VA_ARGS__)
#define EXPECT_TRUE(x) KS_CHECK(bool(x))
#define EXPECT_FALSE(x) KS_CHECK(bool(x))
#define EXPECT_EQ(a, b) KS_CHECK((a) == (b))
#define EXPECT_NE(a, b) KS_CHECK((a) != (b))
#define EXPECT_LT(a, b) KS_CHECK((a) < (b))
#define EXPECT_LE(a, b) KS_CHECK((a) <= (b))
#define EXPECT_GT(a, b) KS_CHECK((a) > (b))
#define EXPECT_GE(a, b) KS_CHECK((a) >= (b))
#define EXPECT_STREQ(a, b) KS_CHECK(a, b)
#define EXPECT_FLOAT_EQ(a, b) KS_CHECK((a) == (b))
#define EXPECT_DOUBLE_EQ(a, b) KS_CHECK((a) == (b))
#define EXPECT_NEAR(a, b, by) KS_CHECK(a, b, by)
#define EXPECT_THAT(value, matcher) KS_CHECK(value)
#define EXPECT_NO_THROW(statement) if (false) { statement; } else KS_CHECK(0)
#define EXPECT_THROW(statement, kind) EXPECT_NO_THROW(statement)
#define EXPECT_ANY_THROW(statement) EXPECT_NO_THROW(statement)
#define EXPECT_DEATH(statement, matcher) EXPECT_NO_THROW(statement)
#define ASSERT_TRUE(x) KS_DEMAND(bool(x))
#define ASSERT_FALSE(x) KS_DEMAND(bool(x))
#define ASSERT_EQ(a, b) KS_DEMAND((a) == (b))
#define ASSERT_NE(a, b) KS_DEMAND((a) != (b))
#define ASSERT_LT(a, b) KS_DEMAND((a) < (b))
#define ASSERT_LE(a, b) KS_DEMAND((a) <= (b))
#define ASSERT_GT(a, b) KS_DEMAND((a) > (b))
#define ASSERT_GE(a, b) KS_DEMAND((a) >= (b))
#define ASSERT_STREQ(a, b) KS_DEMAND(a, b)
#define ASSERT_FLOAT_EQ(a, b) KS_DEMAND((a) == (b))
#define ASSERT_DOUBLE_EQ(a, b) KS_DEMAND((a) == (b))
#define ASSERT_NEAR(a, b, by) KS_DEMAND(a, b, by)
#define ASSERT_NO_THROW(statement) EXPECT_NO_THROW(statement)
#define ASSERT_THROW(statement, kind) EXPECT_NO_THROW(statement)
#define ADD_FAILURE() ::testing::Message()
#define FAIL() if (true) return ::testing::Voids() = ::testing::Message()
#define SUCCEED() ::testing::Message()
#define GTEST_SKIP() if (true) return ::testing::Voids() = ::testing::Message()
#define GTEST_SKIP_(message) GTEST_SKIP() << message
#define GTEST_FLAG(name) gtest_flag_##name
#define GTEST_FLAG_SET(name, value) static_cast<void>(value)
#define SCOPED_TRACE(message) static_cast<void>(0)
