import { DOCUMENTS } from './documents';

const STYLE = `
body { margin: 0; font: 16px/1.5 sans-serif; color: #3b4151; background: #fafafa; }
nav { background: #1b1b1b; padding: 10px 0; }
nav div, main { max-width: 1040px; margin: 0 auto; padding: 0 20px; }
nav a { color: #fff; margin-right: 16px; white-space: nowrap; }
h1 { font-size: 32px; overflow-wrap: anywhere; }
a { color: #3565ab; }
code, pre { font: 600 14px/1.5 monospace; }
h1 code { font-size: inherit; }
pre { background: #333; color: #fff; padding: 14px; border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 6px 14px 6px 0; border-bottom: 1px solid #d8dde7; }
@media (max-width: 700px) { main { overflow-wrap: anywhere; } td { padding-right: 8px; } }
`;
/** On every page of the documentation. */
export const NAVIGATION = `<nav aria-label="Documentation"><div>${DOCUMENTS.map(({ path, name }) => `<a href="${path}">${name}</a>`).join('\n')}</div></nav>`;

/** @param body HTML; everything in it that was not written here has to be escaped */
export function htmlPage(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Messaging gateway: ${title}</title>
<link rel="icon" href="data:,">
${head}<style>${STYLE}</style>
</head>
<body>
${NAVIGATION}
${body}
</body>
</html>
`;
}
