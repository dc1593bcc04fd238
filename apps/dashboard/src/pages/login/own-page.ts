/** The page to return to, as a full URL of this origin: `//elsewhere` would be another host. */
export function ownPage(next = '/'): string {
  const { origin } = window.location;
  const url = URL.canParse(next, origin) ? new URL(next, origin) : null;
  return url?.origin === origin && url.pathname !== '/login' ? url.href : origin;
}
