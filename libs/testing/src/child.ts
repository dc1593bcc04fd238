import { execFile, spawn, type ExecFileOptions } from 'node:child_process';
import { join } from 'node:path';

export interface NodeChild {
  readonly pid: number;
  /** Everything it printed so far. */
  output(): string;
  /** Waits until it printed a line that matches. Fails when it exits before. */
  printed(pattern: RegExp, timeoutMs?: number): Promise<string>;
  kill(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/**
 * Runs a program to its end. Meanwhile this process goes on: a blocked one would use connections that a server has closed.
 * @throws if the program cannot be started or does not end by itself
 */
export function runToEnd(
  program: string,
  args: string[],
  options: ExecFileOptions = {},
): Promise<{ status: number; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) =>
    execFile(program, args, { ...options, encoding: 'utf8' }, (error, stdout, stderr) => {
      const status = error ? error.code : 0;
      if (typeof status === 'number') resolve({ status, stdout, stderr });
      else reject(error as Error);
    }),
  );
}

const ENDS_WITH_INPUT = join(__dirname, 'ends-with-input.cjs');

/**
 * Runs a script as a process of its own, with only the environment given (and PATH). It is killed when this process ends, however that ends.
 * @param stopsItself the script stops when its standard input closes, because it has processes of its own to stop
 */
export function spawnNode(
  file: string,
  env: Record<string, string>,
  args: string[] = [],
  { stopsItself = false }: { stopsItself?: boolean } = {},
): NodeChild {
  const preload = stopsItself ? [] : ['--require', ENDS_WITH_INPUT];
  const child = spawn(process.execPath, ['--enable-source-maps', ...preload, file, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A signal to the group of the tests, such as that of Ctrl-C, must not reach it: only a process that lives stops its own.
    detached: true,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  // After the last of its output.
  const closed = new Promise((resolve) => child.once('close', resolve));
  return {
    pid: child.pid ?? -1,
    output: () => output,
    exited,
    kill: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
    printed: (pattern, timeoutMs = 60_000) =>
      new Promise((resolve, reject) => {
        const settle = (finish: () => void) => {
          clearTimeout(timer);
          child.stdout.off('data', look);
          child.stderr.off('data', look);
          finish();
        };
        const look = () => {
          const line = output.split('\n').find((candidate) => pattern.test(candidate));
          if (line !== undefined) settle(() => resolve(line));
        };
        const timer = setTimeout(
          () => settle(() => reject(new Error(`${file} did not print ${String(pattern)} in time:\n${output.slice(-3_000)}`))),
          timeoutMs,
        );
        void closed.then(() =>
          settle(() => reject(new Error(`${file} ended before it printed ${String(pattern)}:\n${output.slice(-3_000)}`))),
        );
        child.stdout.on('data', look);
        child.stderr.on('data', look);
        look();
      }),
  };
}
