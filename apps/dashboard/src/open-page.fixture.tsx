import { createMemoryHistory, createRouter, RouterProvider } from '@tanstack/react-router';
import { cleanup } from '@testing-library/react';
import { draw } from './page.fixture';
import { router } from './router';

type Routes = NonNullable<Parameters<typeof draw>[1]>;

/** Opens a page by its address, for the owner of a business in India. @returns the page's current address */
export function openPage(path: string, routes: Routes = {}): () => string {
  cleanup();
  const business = { id: 1, name: 'Kaveri', plan: 'Growth', timezone: 'Asia/Kolkata' };
  const history = createMemoryHistory({ initialEntries: [path] });
  const { routeTree } = router;
  draw(<RouterProvider router={createRouter({ routeTree, history })} />, {
    'GET /api/client/me': () => ({ user: { id: 1, name: 'Asha', role: 'owner' }, business }),
    'GET /api/client/conversations': () => ({ conversations: [], counts: { unread: 0 } }),
    'GET /api/client/api-keys': () => ({ api_keys: [] }),
    'GET /api/client/templates': () => ({ templates: [] }),
    ...routes,
  });
  return () => decodeURIComponent(history.location.href);
}
