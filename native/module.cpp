// The extension gecbench._native: one submodule per kernel, each the twin of a module in gecbench.kernels.
#include <nanobind/nanobind.h>

namespace gecbench::bindings {
void bind_edits(nanobind::module_ module);
void bind_errant(nanobind::module_ module);
void bind_gleu(nanobind::module_ module);
void bind_greedy(nanobind::module_ module);
void bind_grouping(nanobind::module_ module);
void bind_imeasure(nanobind::module_ module);
void bind_m2(nanobind::module_ module);
void bind_maxmatch(nanobind::module_ module);
void bind_overlap(nanobind::module_ module);
void bind_ter(nanobind::module_ module);
void bind_tokens(nanobind::module_ module);
void bind_trueskill(nanobind::module_ module);
}  // namespace gecbench::bindings

NB_MODULE(_native, module) {
  using namespace gecbench::bindings;
  bind_edits(module.def_submodule("edits"));
  bind_errant(module.def_submodule("errant"));
  bind_gleu(module.def_submodule("gleu"));
  bind_greedy(module.def_submodule("greedy"));
  bind_grouping(module.def_submodule("grouping"));
  bind_imeasure(module.def_submodule("imeasure"));
  bind_m2(module.def_submodule("m2"));
  bind_maxmatch(module.def_submodule("maxmatch"));
  bind_overlap(module.def_submodule("overlap"));
  bind_ter(module.def_submodule("ter"));
  bind_tokens(module.def_submodule("tokens"));
  bind_trueskill(module.def_submodule("trueskill"));
}
