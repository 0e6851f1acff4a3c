/** Names of the variables by which the mode `places` tells its test processes where to run. */
export const PLACE = "PI_BASH_TEST_PLACE";
export const HOST_BINARY = "PI_BASH_TEST_HOST_BINARY";
export const LAB_VARIABLES = "PI_BASH_TEST_LAB";
