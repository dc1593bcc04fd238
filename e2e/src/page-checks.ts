import { readFileSync } from 'node:fs';
import { eventually } from '@mgw/testing';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/** Sums the page's layout shifts that no input of the person caused, from its next navigation on; `layoutShift` can be set back to 0. */
export const recordLayoutShifts = (page: Page) =>
  page.addInitScript(`layoutShift = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) layoutShift += value;
    }).observe({ type: 'layout-shift' });`);

/** The rules whose result differs between light and dark. */
export const RULES_OF_COLORS = ['color-contrast', 'link-in-text-block'];

/**
 * @param rules by default all
 * @returns accessibility violations of the page: the rule and its first element
 */
export async function accessibilityFaults(page: Page, rules?: string[]): Promise<(string | undefined)[][]> {
  // Wait for opening animations, because axe reports half-transparent elements as lacking contrast. Those of a loading page do not end.
  await eventually(() => page.evaluate('document.getAnimations().every(({ effect }) => effect.getTiming().iterations === Infinity)'));
  await page.evaluate(AXE);
  // axe describes every element of the other results too, which takes most of its time.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as { violations: Violation[] };
  return violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
}
