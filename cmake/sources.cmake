# sources.cmake - every file that is compiled or run as a test: the one place to edit when a file comes or goes.
#
# lbr_files(LIST PATTERN NAME...) puts a name for the star. tests/check-sources.sh compares this with the folders.

# The library, from the bottom up. Instances include the templates src/stepper/*.inc, once per instruction set.
lbr_files(LBR_LIBRARY      src/core/*.c      bound dd expm ldl ldl_make ldl_order lu mem options text watch)
lbr_files(LBR_LIBRARY      src/solve/*.c     damped solve)
lbr_files(LBR_LIBRARY      src/stepper/*.c   atoms choose driftkick fuse gradient isa nystrom nystrom_fuse nystrom_steps part_step prk rk rk_fuse rk_newton rk_start runge_kutta sequence)
lbr_files(LBR_INSTANCES    src/stepper/*.c   instances positions)
lbr_files(LBR_LIBRARY      src/plan/*.c      bind catalogue checkpoint composed dense expr flatten numbers operands partial plan state tableaux view watch)
lbr_files(LBR_LIBRARY      src/model/*.c     arithmetic pairs check consistent constraint constraint_rows cost flows functions gallery gradients hamiltonian kepler lex lower model model_assign model_constraint model_declare model_define model_finish model_start multiplied names parse parse_expr parse_method parse_statement poisson random report rolled section source structure sums system table value)
lbr_files(LBR_LIBRARY      src/model/*.c     code code_block code_cover code_dense code_emit code_extract code_index code_link code_need code_order dag dag_array dag_copy dag_fold dag_loop dag_reach derive derive_forward derive_inline derive_rule derive_solve emit emit_group emit_loop emit_text emit_turn)
lbr_files(LBR_INSTANCES    src/model/*.c     code_exec)
lbr_files(LBR_LIBRARY      src/ensemble/*.c  block)
lbr_files(LBR_LIBRARY      src/series/*.c    analyse assumptions certify describe mixed near nested nystrom pairs reduce timed trees words)

# Kinds of methods: their list names the files; rows of coefficients and what kinds share stand beside them.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/kind/list.inc)
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/src/kind/list.inc kinds REGEX "^X\\(")
list(TRANSFORM kinds REPLACE "^X\\(([a-z0-9_]+)\\).*" "\\1")
lbr_files(LBR_LIBRARY      src/kind/*.c      ${kinds} discrete_gradient list project_order two_tableaux)
lbr_files(LBR_LIBRARY      src/kind/*_rows.c composition corrector near_integrable nystrom processed runge_kutta splitting splitting_rkn)

# Maps of more than rates: derivatives of H or L, a field without divergence.
lbr_files(LBR_LIBRARY      src/series/*.c    conjugate)
lbr_files(LBR_TESTS_unit   tests/test_*.c    conjugate discrete_gradient energy_momentum generating itoh_abe kahan moser_veselov moser_veselov_input side_by_side variational volume)

# The equation under constraints, and certificates of pairs that keep them.
lbr_files(LBR_TESTS_unit   tests/test_*.c    reduced rooms timed)

# Constraints.
lbr_files(LBR_LIBRARY      src/stepper/*.c   constrained jay manifold multipliers multipliers_make rattle)
lbr_files(LBR_LIBRARY      src/plan/*.c      consistent)
lbr_files(LBR_TESTS_unit   tests/test_*.c    chains constrained constrained_energies constraint_loops links run_constrained tangent)

# Projections.
lbr_files(LBR_LIBRARY      src/stepper/*.c   local onto projected surface)
lbr_files(LBR_TESTS_unit   tests/test_*.c    projected_claims projected_steps projected_time projection runaway zeros)

# Rigid bodies.
lbr_files(LBR_LIBRARY      src/stepper/*.c   bodies)
lbr_files(LBR_LIBRARY      src/model/*.c     bodies)
lbr_files(LBR_TESTS_unit   tests/test_*.c    bodies)

# Tangent maps.
lbr_files(LBR_LIBRARY      src/core/*.c      prolong)
lbr_files(LBR_LIBRARY      src/stepper/*.c   tangents)
lbr_files(LBR_TESTS_unit   tests/test_*.c    prolong)

# The rest of the tool: files, runs, pictures, experiments.
lbr_files(LBR_TOOL         src/kernel/*.c    cache cfile cfuse command compile compiler digest entry folder fuse fuse_flows included loaded native object regular symbols)
lbr_files(LBR_TOOL         src/io/*.c        csv file hdf5 hdf5_code lock number saved stream whole)
lbr_files(LBR_TOOL         src/experiment/*.c compare csystem execute execute_columns execute_kernel execute_look execute_save execute_section filenames execute_warn fits json judge judge_against judge_calls judge_claim judge_events judge_measure judge_names judge_plot judge_quantity judge_table judge_truth judge_value method_text picture plot plot_layout plot_run plot_scene plot_script plot_text plot_thin plot_tiles progress project reference report report_folder report_html report_style report_svg reproduce reproduce_all reproduce_cost reproduce_pack reproduce_run reproduce_show runs sections series series_reduce settings span vary)

# Clients of the public headers: the tool; examples, one program each, which the tests run.
lbr_files(LBR_CLI          src/cli/*.c       cache check compare flags main methods models reproduce run run_c run_files run_model terminal)
lbr_files(LBR_EXAMPLES     examples/*.c      outer_solar_system own_method)
lbr_files(LBR_SYSTEMS      examples/*.c      pendulum)            # for libration run FILE.c

# Tests print TAP; the list they are in is their ctest label. Programs may use the inside of the library.
lbr_files(LBR_TESTS_smoke  tests/test_*.c    bits)          # run in every build, the minimal one too
lbr_files(LBR_TESTS_unit   tests/test_*.c    adjoint certify code compare copies core dag dag_arrays derive dense derive_cases emit execute families faults flows fuse gallery identities input io io_faults judge kepler kernel_cache kernel_compile kernels lanes ldl messages methods nystrom pairs parse parse_errors plan_info plot plot_text plot_thin published random reference resume run sections series solver splittings stalls wisdom_holman table tableaux tableaux_made vector tool models sizes structure borders bounded counted parts constraint_functions csystem model_faults run_input run_kernels beside moved run_settings run_warnings run_files run_digest run_hostile run_names run_shared run_signals run_alloc sequence_kernels language language_errors shapes start language_faults watch reproduce tool_alloc structs)      # run with gcc and with sanitizers
lbr_files(LBR_TESTS_long   tests/test_*.c    io_kill limits long run_kill) # run by make test-long
lbr_files(LBR_TESTS_tool   tests/*.t         )              # shell scripts; the tool is $LIBRATION
lbr_files(LBR_TESTS_check  tests/check-*.sh  compilers data headers install language layers methods miscompiled readme reproduce sources symbols)
set(LBR_HEAVY test_tool_alloc test_beside test_moved test_reproduce test_sequence_kernels test_run_kernels test_csystem test_fuse test_watch test_kernel_cache test_kernel_compile test_kernels test_lanes test_emit test_code test_models test_sizes test_plot test_run test_run_digest test_run_hostile test_run_names test_run_shared test_run_signals test_run_files test_run_input test_run_settings test_run_warnings test_run_constrained test_compare test_tool)     # not under valgrind: it takes long, they run other programs, or compare bits (its fma loses signs of zero)
set(LBR_WITH_TOOL test_tool_alloc)                                     # call the tool as a function
set(LBR_WRAP test_tool_alloc test_ldl test_reproduce test_sections test_csystem test_watch test_kernel_cache test_kernel_compile test_language_faults test_run_alloc test_model_faults test_judge test_reference test_code test_dag_arrays test_execute test_faults test_flows test_io_faults test_parse_errors test_plot test_table)     # count or refuse allocations: --wrap=malloc and kin
set(LBR_WRAP_FILES test_io_faults)                                     # make calls of the system fail: --wrap=pwrite and kin

# Benchmarks, run by make bench in this order. Floors (compiled twice) and peers (where they are installed:
# LBR_HAVE_GSL, LBR_HAVE_ODEINT) are linked to each.
lbr_files(LBR_BENCH        bench/*.c         speed projection bodies energy instructions peers precision overhead)
lbr_files(LBR_BENCH_INSIDE bench/*.c         interpreter models kernels blocks chain ldl)         # these use the inside of the library
lbr_files(LBR_BENCH_FLOORS bench/*.c         floors lanes pairs systems)
lbr_files(LBR_BENCH_GSL    bench/*.c         peer_gsl)
lbr_files(LBR_BENCH_ODEINT bench/*.cpp       peer_odeint)
