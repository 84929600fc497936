// The main() of every unit-test executable.
#define BOOST_TEST_MODULE annals
#include <boost/test/unit_test.hpp>
