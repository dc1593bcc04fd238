import { deadLetters } from './receiving/dead-letters.command';

deadLetters(process.argv.slice(2), process.env).then(
  (lines) => process.stdout.write(`${lines}\n`),
  (fault: Error) => {
    process.stderr.write(`${fault.message}\n`);
    process.exitCode = 1;
  },
);
