// Finds the projects for nx: every folder of apps and libs with a `main` or an `index`. A `project.json` holds only what differs.
import { basename, dirname } from 'node:path';

/** The layers from the lowest: the projects of each, and the layers that they may import. */
export const LAYERS = {
  contracts: { projects: ['contracts', 'phone'], knows: ['contracts'] },
  base: {
    projects: ['batching', 'caching', 'client', 'config', 'deadlines', 'faults', 'sealing', 'shares', 'telemetry'],
    knows: ['contracts', 'base'],
  },
  adapter: { projects: ['egress', 'nats', 'platform-api', 'postgres'], knows: ['contracts', 'base', 'testing'] },
  messaging: { projects: ['events', 'media', 'rpc'], knows: ['contracts', 'base', 'adapter', 'testing'] },
  service: { projects: ['service'], knows: ['contracts', 'base', 'adapter', 'messaging', 'testing'] },
  // Known by the specs of services: it runs them on servers of their own.
  harness: { projects: ['harness'], knows: ['contracts', 'base', 'adapter', 'messaging', 'service', 'testing'] },
  // Known by the specs of every layer, so it knows none of them.
  testing: { projects: ['testing'], knows: ['contracts'] },
  // Speaks to the gateway over HTTP only.
  dashboard: { projects: ['dashboard'], knows: ['dashboard'] },
  e2e: { projects: ['e2e'], knows: ['contracts', 'base', 'testing'] },
  /** Every other app. */
  app: { projects: [], knows: ['contracts', 'base', 'adapter', 'messaging', 'service', 'testing', 'harness'] },
};

function layerOf(root) {
  const [layer] = Object.entries(LAYERS).find(([, { projects }]) => projects.includes(basename(root))) ?? [];
  if (layer) return layer;
  if (root.startsWith('apps/')) return 'app';
  throw new Error(`${root} has no layer: name it in LAYERS of tools/build/nx-projects.mjs`);
}

export const createNodesV2 = [
  '{apps,libs}/*/src/{main,index}.{ts,tsx}',
  (entries) =>
    entries.map((entry) => {
      const sourceRoot = dirname(entry);
      const root = dirname(sourceRoot);
      const project = {
        name: basename(root),
        projectType: root.startsWith('apps/') ? 'application' : 'library',
        sourceRoot,
        tags: [`layer:${layerOf(root)}`],
        targets: { build: {}, lint: {}, test: {} },
      };
      return [entry, { projects: { [root]: project } }];
    }),
];
