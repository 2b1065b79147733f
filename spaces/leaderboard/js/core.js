"use strict";
// The page must open from a disk, where browsers refuse ES modules and fetch(). So there is one global, GECBENCH: files
// define modules by name, which run when first used, whatever the order of the files (this one comes first), and data
// arrives as scripts that call GECBENCH.add.
const GECBENCH = (() => {
  const factories = new Map();
  const modules = new Map();
  const data = new Map();
  const loading = new Map();

  function define(name, factory) {
    factories.set(name, factory);
  }

  function use(name) {
    if (!modules.has(name)) {
      if (!factories.has(name)) throw new Error(`There is no module ${name}, or it uses itself.`);
      const factory = factories.get(name);
      factories.delete(name);
      modules.set(name, Object.freeze(factory(use)));
    }
    return modules.get(name);
  }

  function add(name, value) {
    data.set(name, value);
  }

  function board() {
    return data.get("board");
  }

  function runScript(address) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = resolve;
      script.onerror = () => {
        script.remove();
        reject(new Error(`${address.split("?")[0]} is missing`));
      };
      document.head.append(script);
    });
  }

  async function read(name) {
    try {
      await runScript(`data/${name}.js?v=${encodeURIComponent(board().built)}`);
      if (!data.has(name)) throw new Error(`data/${name}.js is missing`);
      return data.get(name);
    } finally {
      loading.delete(name);
    }
  }

  /** Return a promise of the data of a name, read once. */
  function load(name) {
    if (data.has(name)) return Promise.resolve(data.get(name));
    if (!loading.has(name)) loading.set(name, read(name));
    return loading.get(name);
  }

  /** Read the board's data again, after a submission. */
  async function refresh() {
    for (const name of [...data.keys()]) if (!name.startsWith("system-")) data.delete(name);
    loading.clear();
    try {
      await runScript(`data/board.js?t=${Date.now()}`);
    } catch {
      throw new Error("The board could not be read again; reload the page.");
    }
  }

  return Object.freeze({ define, use, add, board, load, refresh });
})();
