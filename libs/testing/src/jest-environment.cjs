// Compiles each module once for all specs of a worker. Jest compiles it as a function, whose code V8 does not keep for the next spec.
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const { compileFunction } = vm;
vm.compileFunction = (source, parameters, options = {}) => {
  const { filename, parsingContext } = options;
  if (!parsingContext) return compileFunction(source, parameters, options);
  const head = `(function (${parameters.join()}) {`;
  const script = new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
  return script.runInContext(parsingContext);
};

module.exports = TestEnvironment;
