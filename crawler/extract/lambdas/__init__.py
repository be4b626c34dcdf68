"""Write the lambdas that kernels are launched with as classes with a name."""
