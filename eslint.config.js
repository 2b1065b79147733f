"use strict";

const js = require("@eslint/js");
const globals = require("globals");

module.exports = [
  js.configs.recommended,
  {
    files: ["spaces/**/*.js", "src/**/*.js", "docs/**/*.js"],
    languageOptions: {
      ecmaVersion: 2022,
      sourceType: "script",
      globals: { ...globals.browser, GECBENCH: "readonly" },
    },
    rules: {
      "max-len": ["error", { code: 120 }],
      "no-implicit-globals": ["error", { lexicalBindings: true }],
      "no-redeclare": ["error", { builtinGlobals: false }],
      "no-shadow": "error",
      "no-unused-vars": ["error", { args: "after-used", argsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
      strict: ["error", "global"],
    },
  },
  {
    // The one global of the page.
    files: ["spaces/leaderboard/js/core.js"],
    rules: { "no-implicit-globals": "off", "no-unused-vars": ["error", { varsIgnorePattern: "^GECBENCH$" }] },
  },
];
