"""C++, CUDA and HIP text: brackets, lists, comments, directives, edits and syntax trees.

Nothing here knows what a kernel is. Three forms of a text occur:

* *tokens*: what the lexer makes of a text, exact and lossless;
* *code*: the text with every comment, string and header blanked, each character in its place
  (`MaskedSource.code`);
* *raw text*: as it stands in the file. A function that takes raw text skips comments and
  strings by itself.
"""
