// Given to a process with --require: at SIGUSR2 it says which modules of OpenTelemetry's SDK it has loaded. (prom-client loads the API.)
process.on('SIGUSR2', () => {
  const names = Object.keys(require.cache).map((file) => /\/node_modules\/@opentelemetry\/(?!api\/)([\w-]+)\//.exec(file)?.[1]);
  console.log(`loaded: ${[...new Set(names.filter(Boolean))].sort().join(' ') || 'nothing'}`);
});
