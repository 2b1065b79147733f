// The extension gecbench._native: one submodule per kernel, each beside its Python twin in gecbench.kernels.
#include <nanobind/nanobind.h>

namespace gecbench::bindings {
void bind_bound(nanobind::module_ module);
void bind_draws(nanobind::module_ module);
void bind_interning(nanobind::module_ module);
void bind_maxmatch(nanobind::module_ module);
void bind_ngrams(nanobind::module_ module);
void bind_threeway(nanobind::module_ module);
void bind_trueskill(nanobind::module_ module);
}  // namespace gecbench::bindings

NB_MODULE(_native, module) {
  using namespace gecbench::bindings;
  bind_bound(module.def_submodule("bound"));
  bind_draws(module.def_submodule("draws"));
  bind_interning(module.def_submodule("interning"));
  bind_maxmatch(module.def_submodule("maxmatch"));
  bind_ngrams(module.def_submodule("ngrams"));
  bind_threeway(module.def_submodule("threeway"));
  bind_trueskill(module.def_submodule("trueskill"));
}
