import { createOperator } from './users/operator.command';

createOperator(process.argv.slice(2), process.env, process.stdin).then(
  (line) => process.stdout.write(`${line}\n`),
  (fault: Error) => {
    process.stderr.write(`${fault.message}\n`);
    process.exitCode = 1;
  },
);
