"""Tools that are not there: stub compilers that write down their calls, stand-ins for toolkits."""
