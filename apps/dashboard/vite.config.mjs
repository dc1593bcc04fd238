import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Browsers show nothing that follows a style sheet before it has loaded, so what index.html shows comes first. The theme's own styles follow in the root. */
const markupFirst = {
  name: 'markup-first',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => {
      const [sheet] = /<link rel="stylesheet".*>/.exec(html) ?? [''];
      return html.replace(sheet, '').replace('<div id="root">', `${sheet}\n    $&`);
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), markupFirst],
  // The build of csv-parse for browsers has no Buffer of Node.js.
  resolve: { alias: { 'csv-parse/sync': 'csv-parse/browser/esm/sync' } },
  build: {
    outDir: '../../dist/apps/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // Sheets of pages would stand in the head, before the one above, so that Mantine's rules would win over theirs.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 700,
  },
});
