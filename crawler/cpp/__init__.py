"""C++, CUDA and HIP as text: tokens, brackets, directives, functions and edits."""
