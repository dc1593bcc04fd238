// Loaded with --require: at SIGUSR2 the process prints the modules that it has loaded of OpenTelemetry's SDK (prom-client loads the API)
// and of TypeORM.
process.on('SIGUSR2', () => {
  const names = Object.keys(require.cache).map((file) => /\/node_modules\/(@opentelemetry\/(?!api\/)[\w-]+|typeorm)\//.exec(file)?.[1]);
  console.log(`loaded: ${[...new Set(names.filter(Boolean))].sort().join(' ') || 'nothing'}`);
});
