import samples from '../../api/request-samples.json';

/** A call of the route with the reference's example values; undefined for a route that the reference does not have. */
export function requestSample(method: string, route: string, site: string): string | undefined {
  const sample = (samples as Record<string, string>)[`${method} ${route.replace(/:\w+/g, '*')}`];
  return sample?.replace("'/api/v1/", `'${site}/api/v1/`);
}
