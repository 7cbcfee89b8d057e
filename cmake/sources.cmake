# sources.cmake - what is built from which folders. A file that comes or goes needs no line here: all of a room are
# taken.

# Rooms of the library, from the bottom up, of what makes machine code, and of the tool; who may include whom is in
# tests/check/check-layers.sh.
lbr_rooms(LBR_LIBRARY core inspect solve stepper plan series kind graph program syntax language model runs ensemble)
lbr_rooms(LBR_JIT     kernel)
lbr_rooms(LBR_TOOL    io execute plot judge experiment report)
lbr_rooms(LBR_CLI     cli)

# Compiled once per instruction set: the templates src/stepper/*.inc, and the machine that runs programs.
set(LBR_INSTANCES src/stepper/instances.c src/stepper/positions.c src/program/code_exec.c)

# The public headers, in the order in which a reader wants them: libration.3.
set(LBR_HEADERS base system check method options observe plan model jit prolong series)

# Clients of the public headers: programs that the tests run, and systems for libration run FILE.c.
lbr_files(LBR_EXAMPLES     examples/*.c      outer_solar_system own_method)
lbr_files(LBR_EXAMPLES_JIT examples/*.c      two_methods)
lbr_files(LBR_SYSTEMS      examples/*.c      pendulum rod)

# Tests print TAP. Programs are in a folder for each room, tests/ROOM/test_NAME.c, and may use the inside of the
# library; those that run the tool are in tests/tool. Scripts are tests/check/check-NAME.sh. Their ctest label is unit
# or check, but for these:
set(LBR_TESTS_SMOKE test_bits)                                         # run in every build, the minimal one too
set(LBR_TESTS_LONG test_io_kill test_limits test_long test_run_kill test_walk)   # run by make test-long
# Not under valgrind: it takes long, they run other programs, or compare bits (its fma loses signs of zero).
set(LBR_HEAVY
    test_beside test_check_c test_code test_compare test_csystem test_emit test_flags test_fuse test_kernel_cache
    test_kernel_compile test_kernels test_lanes test_locale test_models test_moved test_plot test_reproduce test_run
    test_run_constrained test_rows test_run_digest test_run_files test_run_hostile test_run_input test_run_kernels
    test_run_looks test_run_names test_run_pictures test_run_progress test_run_settings test_run_shared test_run_signals
    test_run_warnings test_sequence_kernels test_sizes test_completion test_run_results test_system_check test_tool
    test_tool_alloc test_watch test_jit)
# Not under sanitizers but by make test-long: they run the tool for long, while a compiler works beside it.
set(LBR_BESIDE test_beside test_run_kernels)
set(LBR_WITH_TOOL test_tool_alloc)                                     # call the tool as a function
# Count or refuse allocations: --wrap=malloc and kin.
set(LBR_WRAP
    test_code test_csystem test_dag_arrays test_execute test_faults test_flows test_growing test_io_faults test_judge
    test_judge_plots test_kernel_cache test_kernel_compile test_language_faults test_ldl test_model_faults
    test_parse_errors test_plot test_plot_marks test_reference test_reproduce test_run_alloc test_sections test_status
    test_system_words test_table test_tool_alloc test_watch test_problem)
set(LBR_WRAP_FILES test_io_faults)             # make calls of the system fail: --wrap=pwrite and kin

# Benchmarks, run by make bench in this order. Floors (compiled twice) and peers (where they are installed:
# LBR_HAVE_GSL, LBR_HAVE_ODEINT) are linked to each.
lbr_files(LBR_BENCH        bench/*.c
    speed projection quaternions energy instructions peers precision overhead newton)
# These use the inside of the library.
lbr_files(LBR_BENCH_INSIDE bench/*.c         interpreter models kernels blocks chain constraint_factors)
lbr_files(LBR_BENCH_FLOORS bench/*.c         floors lanes pairs stages systems)
lbr_files(LBR_BENCH_GSL    bench/*.c         peer_gsl)
lbr_files(LBR_BENCH_ODEINT bench/*.cpp       peer_odeint)
