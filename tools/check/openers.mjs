// Refuses comments and sentences that begin with a word that docs/writing.md excludes. node tools/check/openers.mjs [file…]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const OPENER = /^["'“(]?(Of|What|Who|Whose|Whoever|Where|As|Or|Another's)\b(?! soon as\b)/;
/** The starts of sentences inside a paragraph, after the end of the one before or a JSDoc tag. */
const SENTENCE = /(?<=[.!?]\)? )(?=[A-Z"“(])|(?<=@(?:returns|throws) (?:\{[^}]*\} )?)|(?<=@param [\w.]+ )/;

/** @typedef {{ line: number, text: string }} Paragraph text without markup, from its first line on */

const TEMPLATES = new Set([
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.TemplateHead,
  ts.SyntaxKind.TemplateMiddle,
  ts.SyntaxKind.TemplateTail,
]);
const LITERALS = new Set([...TEMPLATES, ts.SyntaxKind.StringLiteral, ts.SyntaxKind.RegularExpressionLiteral, ts.SyntaxKind.JsxText]);

/** Blanks literals first, since they may contain marks of comments. Templates contain SQL with comments of its own. @returns {Paragraph[]} */
function commentsOfScript(text, file) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, file.endsWith('x') ? ts.ScriptKind.TSX : undefined);
  let code = text;
  const sql = [];
  const blank = (node) => {
    if (!LITERALS.has(node.kind)) return ts.forEachChild(node, blank);
    const start = node.kind === ts.SyntaxKind.JsxText ? node.pos : node.getStart(source);
    if (TEMPLATES.has(node.kind)) sql.push(...commentsOfSql(text.slice(start, node.end), source.getLineAndCharacterOfPosition(start).line));
    code = code.slice(0, start) + text.slice(start, node.end).replace(/[^\n]/g, ' ') + code.slice(node.end);
  };
  blank(source);
  return [...commentsOfCss(code), ...sql];
}

/** Reads comments of one line and of several. @returns {Paragraph[]} */
function commentsOfCss(text) {
  const comments = [...text.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g)];
  return comments.flatMap(({ 0: comment, index }) =>
    paragraphsOf(comment.split('\n').map(withoutMarks), text.slice(0, index).split('\n').length - 1),
  );
}

/** @returns {Paragraph[]} */
function commentsOfSql(text, first = 0) {
  return paragraphsOf(
    text.split('\n').map((line) => /--(.*)$/.exec(line)?.[1].trim() ?? ''),
    first,
  );
}

/** Reads lines that are comments: a `#` after code may be part of a value. @returns {Paragraph[]} */
function commentsOfSettings(text) {
  return paragraphsOf(text.split('\n').map((line) => /^\s*#+(.*)$/.exec(line)?.[1].trim() ?? ''));
}

/** Leaves out headings, blocks of code and the heads of tables; each cell and item is a paragraph. @returns {Paragraph[]} */
function textOfMarkdown(text) {
  let isCode = false;
  const lines = text.split('\n');
  const prose = lines.map((line, i) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const isHead = /^\|[\s:|-]+\|$/.test(lines[i + 1] ?? '');
    return isCode || isHead || /^\s*(```|#|~)/.test(line) ? '' : line;
  });
  return prose.flatMap((line, i) =>
    line.startsWith('|')
      ? line.split('|').map((cell) => ({ line: i, text: cell.trim() }))
      : line.trim() === '' || /^\s*\S/.exec(prose[i - 1] ?? '')
        ? []
        : paragraphsOf(prose.slice(i, prose.findIndex((next, n) => n > i && next.trim() === '') + 1 || undefined), i),
  );
}

const withoutMarks = (line) =>
  line
    .replace(/^\s*(\/\*\*?|\*\/|\*|\/\/)/, '')
    .replace(/\*\/\s*$/, '')
    .trim();

/** Joins lines up to an empty one; an item of a list begins a paragraph. @returns {Paragraph[]} */
function paragraphsOf(lines, first = 0) {
  const found = [];
  let isOpen = false;
  lines.forEach((line, i) => {
    const item = /^\s*(?:[-*]|\d+\.) +(?:\*\*[^*]*\*\* )?(.*)$/.exec(line);
    const text = (item?.[1] ?? line).trim();
    if (text === '' || text.startsWith('|')) return void (isOpen = false);
    if (isOpen && !item && !text.startsWith('@')) found.at(-1).text += ` ${text}`;
    else found.push({ line: first + i, text });
    isOpen = true;
  });
  return found;
}

const READERS = {
  ts: commentsOfScript,
  tsx: commentsOfScript,
  mjs: commentsOfScript,
  cjs: commentsOfScript,
  js: commentsOfScript,
  css: commentsOfCss,
  sql: (text) => commentsOfSql(text),
  sh: commentsOfSettings,
  yaml: commentsOfSettings,
  yml: commentsOfSettings,
  conf: commentsOfSettings,
  example: commentsOfSettings,
  Dockerfile: commentsOfSettings,
  md: textOfMarkdown,
};

/** @returns the file's extension, or the name of a file without one */
const kindOf = (file) => /[^./]*$/.exec(file)[0];

/** @returns {string[]} one line for each sentence of the files that begins with an excluded word */
export function forbiddenOpeners(files = trackedFiles()) {
  return files.flatMap((file) => {
    const paragraphs = READERS[kindOf(file)](readFileSync(file, 'utf8'), file);
    return paragraphs.flatMap(({ line, text }) =>
      text
        .split(SENTENCE)
        .filter((sentence) => OPENER.test(sentence.trim()))
        .map((sentence) => `${file}:${line + 1}: ${sentence.trim().slice(0, 100)}`),
    );
  });
}

function trackedFiles() {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' }).split('\n');
  return files.filter((file) => kindOf(file) in READERS && !file.endsWith('docs/writing.md'));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const files = process.argv.slice(2);
  const faults = files.length > 0 ? forbiddenOpeners(files) : forbiddenOpeners();
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
