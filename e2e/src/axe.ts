import { readFileSync } from 'node:fs';
import { eventually } from '@mgw/testing';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/**
 * @param rules by default all
 * @returns serious and critical accessibility violations of the page: the rule and its first element
 */
export async function accessibilityFaults(page: Page, rules?: string[]): Promise<(string | undefined)[][]> {
  // Wait for opening animations, because axe reports half-transparent elements as lacking contrast.
  await eventually(() => page.evaluate('document.getAnimations().length === 0'));
  await page.evaluate(AXE);
  // axe describes every element of the other results too, which takes most of its time.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as { violations: Violation[] };
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => [id, nodes[0]?.html]);
}
