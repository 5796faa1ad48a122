throw new Error('galley is an ES module that awaits its wasm: use `import` or `await import("galley")`, not `require`.');
