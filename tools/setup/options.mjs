// The options of a command of this folder. Needs only Node.
import { parseArgs } from 'node:util';

/**
 * Reads the options of the process. For --help it prints them and ends the process; for an unknown option or a value that an option does
 * not take it names it and ends the process with exit code 2.
 * @param command as a person types it, such as `npm start --`
 * @param options by name: `about`, and for an option with a value `value` (its name in the help), `least` if it is a number, `fallback`
 * @returns the values: a flag is true or absent, a value with `least` is a number
 */
export function readOptions(command, options, args = process.argv.slice(2)) {
  const types = Object.entries(options).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }]);
  try {
    const { values } = parseArgs({ args, options: { ...Object.fromEntries(types), help: { type: 'boolean' } } });
    if (values.help) {
      console.log(helpOf(command, options));
      process.exit(0);
    }
    return Object.fromEntries(Object.entries(options).map(([name, option]) => [name, valueOf(name, option, values[name])]));
  } catch (error) {
    console.error(`✗ ${error.message}\n${helpOf(command, options)}`);
    return process.exit(2);
  }
}

function valueOf(name, { least, fallback }, value = fallback) {
  if (least === undefined || value === undefined) return value;
  const number = value === '' ? NaN : Number(value);
  if (!(number >= least)) throw new Error(`Option '--${name}' needs a number from ${least} on, not '${value}'`);
  return number;
}

function helpOf(command, options) {
  const lines = Object.entries(options).map(([name, { value, about }]) => [`--${name}${value ? ` ${value}` : ''}`, about]);
  const width = Math.max(...lines.map(([name]) => name.length));
  return [`Usage: ${command} [options]`, ...lines.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`)].join('\n');
}
