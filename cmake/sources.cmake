# sources.cmake - every file that is compiled or run as a test: the one place to edit when a file comes or goes.
#
# lbr_files(LIST PATTERN NAME...) puts a name for the star. tests/check-sources.sh compares this with the folders.

# The library, from the bottom up. Instances include the templates src/stepper/*.inc, once per instruction set.
lbr_files(LBR_LIBRARY      src/core/*.c      bound dd lu mem options text)
lbr_files(LBR_LIBRARY      src/method/*.c    catalogue composition numbers partitioned processed runge_kutta splitting)
lbr_files(LBR_LIBRARY      src/solve/*.c     solve)
lbr_files(LBR_LIBRARY      src/stepper/*.c   atoms choose driftkick isa rk rk_newton runge_kutta sequence)
lbr_files(LBR_INSTANCES    src/stepper/*.c   instances)
lbr_files(LBR_LIBRARY      src/plan/*.c      bind checkpoint expr flatten plan state view)
lbr_files(LBR_LIBRARY      src/model/*.c     lex parse parse_expr parse_method parse_statement report)
lbr_files(LBR_LIBRARY      src/series/*.c    analyse assumptions certify describe reduce trees words)

# Clients of the public headers: the tool; examples, one program each, which the tests run.
lbr_files(LBR_CLI          src/cli/*.c       check json main methods)
lbr_files(LBR_EXAMPLES     examples/*.c      outer_solar_system own_method)

# Tests print TAP; the list they are in is their ctest label. Programs may use the inside of the library.
lbr_files(LBR_TESTS_smoke  tests/test_*.c    bits)          # run in every build, the minimal one too
lbr_files(LBR_TESTS_unit   tests/test_*.c    adjoint certify core faults input messages methods parse parse_errors published series solver tableaux tool)      # run with gcc and with sanitizers
lbr_files(LBR_TESTS_long   tests/test_*.c    long)         # run by make test-long
lbr_files(LBR_TESTS_tool   tests/*.t         )              # shell scripts; the tool is $LIBRATION
lbr_files(LBR_TESTS_check  tests/check-*.sh  data headers install layers readme sources symbols)
set(LBR_WRAP test_faults test_parse_errors)                            # test programs that count or refuse allocations: --wrap=malloc and kin

# Benchmarks, run by make bench in this order. Floors (compiled twice) and peers (where they are installed:
# LBR_HAVE_GSL, LBR_HAVE_ODEINT) are linked to each.
lbr_files(LBR_BENCH        bench/*.c         speed instructions peers precision overhead)
lbr_files(LBR_BENCH_FLOORS bench/*.c         floors systems)
lbr_files(LBR_BENCH_GSL    bench/*.c         peer_gsl)
lbr_files(LBR_BENCH_ODEINT bench/*.cpp       peer_odeint)
