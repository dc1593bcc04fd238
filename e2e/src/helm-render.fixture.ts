import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';

type Values = Record<string, unknown>;
type Scope = Map<string, unknown>;
type Node = string | { keyword: string; head: string; body: Node[]; otherwise: Node[] };

/**
 * Renders the subset of Helm's template language that our chart uses: `if`, `else`, `range $key, $value :=`, `range $value :=`,
 * fields, variables, and the functions below. Anything else is an error, so that a test fails on a chart that this cannot render.
 * Machines without Helm do not test Helm itself.
 */
export function renderChart(folder: string, change: Values = {}): Values[] {
  const chart = parse(readFileSync(join(folder, 'Chart.yaml'), 'utf8')) as Values;
  const values = merged(parse(readFileSync(join(folder, 'values.yaml'), 'utf8')) as Values, change);
  const root = {
    Values: values,
    Chart: { AppVersion: chart['appVersion'], Name: chart['name'] },
    Release: { Name: 'test', Namespace: 'test' },
  };
  const scope: Scope = new Map([['$', root]]);
  return readdirSync(join(folder, 'templates'))
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => {
      const text = print(read(readFileSync(join(folder, 'templates', name), 'utf8')), root, scope);
      return parseAllDocuments(text).flatMap((document) => {
        if (document.errors.length > 0) throw new Error(`${name}: ${document.errors[0]?.message}\n${text}`);
        const value = document.toJS() as Values | null;
        return value ? [value] : [];
      });
    });
}

function merged(base: Values, change: Values): Values {
  const both = Object.entries(change).map(([key, value]) => {
    const before = base[key];
    const isMap = (one: unknown): one is Values => typeof one === 'object' && one !== null && !Array.isArray(one);
    return [key, isMap(before) && isMap(value) ? merged(before, value) : value];
  });
  return { ...base, ...(Object.fromEntries(both) as Values) };
}

function read(text: string): Node[] {
  const parts = text.split(/\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/);
  const root: Node[] = [];
  const open: { node: Exclude<Node, string>; into: Node[] }[] = [];
  let into = root;
  for (let i = 0; i < parts.length; i += 4) {
    const trimsBefore = parts[i + 1] === '-';
    const trimsAfter = i > 0 && parts[i - 1] === '-';
    let literal = parts[i] ?? '';
    if (trimsAfter) literal = literal.replace(/^\s+/, '');
    if (trimsBefore) literal = literal.replace(/\s+$/, '');
    if (literal !== '') into.push(literal);
    const action = parts[i + 2];
    if (action === undefined) continue;
    const [, keyword = '', head = ''] = /^(if|range|else|end)\b\s*([\s\S]*)$/.exec(action) ?? [];
    if (keyword === 'if' || keyword === 'range') {
      const node = { keyword, head, body: [], otherwise: [] };
      into.push(node);
      open.push({ node, into });
      into = node.body;
    } else if (keyword === 'else') into = open.at(-1)?.node.otherwise ?? into;
    else if (keyword === 'end') into = open.pop()?.into ?? root;
    else into.push({ keyword: 'print', head: action, body: [], otherwise: [] });
  }
  if (open.length > 0) throw new Error(`${open[0]?.node.keyword} without an end`);
  return root;
}

function print(nodes: Node[], dot: unknown, scope: Scope): string {
  return nodes.map((node) => (typeof node === 'string' ? node : act(node, dot, scope))).join('');
}

function act({ keyword, head, body, otherwise }: Exclude<Node, string>, dot: unknown, scope: Scope): string {
  if (keyword === 'print') return text(evaluate(head, dot, scope));
  if (keyword === 'if') return print(isTrue(evaluate(head, dot, scope)) ? body : otherwise, dot, scope);
  const [, key, value = '', list = ''] = /^(?:\$(\w+),\s*)?\$(\w+)\s*:=\s*(.*)$/.exec(head) ?? [];
  if (value === '') throw new Error(`not understood: range ${head}`);
  const over = evaluate(list, dot, scope) as Values | unknown[];
  const entries = Array.isArray(over)
    ? over.map((one, i) => [i, one] as const)
    : Object.entries(over ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries
    .map(([name, one]) => print(body, one, new Map([...scope, [`$${value}`, one], ...(key ? ([[`$${key}`, name]] as const) : [])])))
    .join('');
}

const FUNCTIONS: Record<string, (...args: unknown[]) => unknown> = {
  quote: (value) => JSON.stringify(text(value)),
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  toYaml: (value) => stringify(value).trimEnd(),
  indent: (by, value) => text(value).replace(/^/gm, ' '.repeat(Number(by))),
  printf: (format, ...args) => text(format).replace(/%[sd]/g, () => text(args.shift())),
  not: (value) => !isTrue(value),
  fail: (message) => {
    throw new Error(text(message));
  },
};

/** Evaluates a pipeline: each stage's result is the last argument of the next. */
function evaluate(expression: string, dot: unknown, scope: Scope): unknown {
  const stages = split(expression, '|');
  return stages.reduce<unknown>((piped, stage, i) => {
    const words = split(stage.trim(), ' ').filter((word) => word !== '');
    const call = FUNCTIONS[words[0] ?? ''];
    if (!call) {
      if (words.length !== 1 || i > 0) throw new Error(`not understood: ${expression}`);
      return operand(words[0] as string, dot, scope);
    }
    const args = words.slice(1).map((word) => operand(word, dot, scope));
    return call(...args, ...(i > 0 ? [piped] : []));
  }, undefined);
}

/** Splits outside strings and parentheses. */
function split(textOf: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  let quoted = false;
  for (const char of textOf) {
    if (char === '"') quoted = !quoted;
    if (!quoted && char === '(') depth += 1;
    if (!quoted && char === ')') depth -= 1;
    if (char === separator && !quoted && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}

function operand(word: string, dot: unknown, scope: Scope): unknown {
  if (word.startsWith('(') && word.endsWith(')')) return evaluate(word.slice(1, -1), dot, scope);
  if (word.startsWith('"')) return JSON.parse(word);
  if (/^\d+$/.test(word)) return Number(word);
  const [, variable, path = ''] = /^(\$\w*)?((?:\.\w+)*\.?)$/.exec(word) ?? [undefined, undefined, undefined];
  if (path === undefined || (variable === undefined && path === '')) throw new Error(`not understood: ${word}`);
  if (variable !== undefined && !scope.has(variable)) throw new Error(`${variable} is not defined`);
  return path
    .split('.')
    .filter((name) => name !== '')
    .reduce<unknown>((value, name) => (value as Values | undefined)?.[name], variable === undefined ? dot : scope.get(variable));
}

function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}
