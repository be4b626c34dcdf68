"""What the code that a launch depends on defines, by name."""

from __future__ import annotations

from crawler.dataset.prompts.launch_definitions import read_definitions


def test_macros_constants_and_functions_are_read() -> None:
    code = (
        "#define LIMIT 4\n#define BOTH(a) \\\n  (a + \\\n   LIMIT)\n"
        "namespace a {\nnamespace b {\nconstexpr int kBlock = 128;  // threads\n}\n}\n"
        "namespace a {\ninline int blocks(const int n) {\n  return n / 2;\n}\n}\n"
        "static const dim3 kGrid{1, 2};\n"
    )
    assert read_definitions(code) == {
        "LIMIT": "#define LIMIT 4",
        "BOTH": "#define BOTH(a) (a + LIMIT)",
        "kBlock": "constexpr int kBlock = 128;",
        "blocks": "inline int blocks(const int n) { return n / 2; }",
        "kGrid": "static const dim3 kGrid{1, 2};",
    }


def test_declarations_and_types_define_nothing() -> None:
    code = "int blocks(int n);\nstruct S {\n  int n() { return 1; }\n};\nusing T = int;"
    assert read_definitions(code) == {}
