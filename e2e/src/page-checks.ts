import { readFileSync } from 'node:fs';
import { eventually } from '@mgw/testing';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/** Total layout shift from which a person sees something move. */
const VISIBLE_SHIFT = 0.02;

/** Records layout shifts of the page that no input of the person caused, from its next navigation on. */
export const recordLayoutShifts = async (page: Page) => {
  // Most people see the motion, which could shift the layout.
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.addInitScript(`layoutShifts = [];
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries())
        if (!hadRecentInput) layoutShifts.push({ value, moved: sources.map(({ node }) => (node?.parentElement ?? node)?.outerHTML.slice(0, 300)) });
    }).observe({ type: 'layout-shift' });`);
};

/** @returns recorded layout shifts, each with the elements that moved; empty if nobody would see them */
export const visibleShifts = async (page: Page) => {
  const shifts = await page.evaluate<{ value: number; moved: (string | undefined)[] }[]>('layoutShifts');
  return shifts.reduce((sum, { value }) => sum + value, 0) < VISIBLE_SHIFT ? [] : shifts;
};

export const forgetShifts = (page: Page) => page.evaluate('void (layoutShifts = [])');

/** The rules whose result differs between light and dark. */
export const RULES_OF_COLORS = ['color-contrast', 'link-in-text-block'];

/** Whether something fades. Animations of a loading page do not end. */
const FADES = 'document.getAnimations().some(({ effect }) => effect.getTiming().iterations !== Infinity)';

/** Waits until the page is drawn at its present width and nothing fades. */
export const settled = (page: Page) =>
  // A change of width takes one frame until media queries know it, and one until React has drawn.
  eventually(() => page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(!${FADES}))))`));

/** The rules whose result depends on the width, even if no other elements are visible. */
export const RULES_OF_SPACE = ['scrollable-region-focusable'];

/**
 * Finds controls of the page that a finger misses: less than 24 px high or wide (WCAG 2.5.8). A touch of a histogram chooses several of its
 * bars (decision 801), and a row of a log is a button as a whole.
 */
const SMALL_TARGETS = `[...document.querySelectorAll('a[href], button, input:not([type=file]), textarea')]
  .filter((control) => !control.disabled && !control.matches('.skip-link, .histogram-bar, .log-line *') && control.checkVisibility({ visibilityProperty: true }))
  .filter((control) => {
    const around = control.closest('.mantine-Switch-root, .mantine-Input-wrapper') ?? control;
    control.scrollIntoView({ block: 'center', inline: 'center' });
    // A link may wrap.
    const [{ left, top, width, height }] = control.getClientRects();
    // Hidden, but for screen readers.
    if (width < 2 || height < 2) return false;
    return [[0, -11], [0, 11], [-11, 0], [11, 0]].some(([x, y]) => {
      const hit = document.elementFromPoint(left + width / 2 + x, top + height / 2 + y);
      return !around.contains(hit) && hit?.closest('label')?.control !== control;
    });
  })
  .map((control) => control.outerHTML.slice(0, 160))`;

/** @returns the markup of controls of the page that a finger misses */
export const smallTargets = (page: Page) => page.evaluate<string[]>(SMALL_TARGETS);

/** The header and the navigation around each page. */
export const SHELL = ['.mantine-AppShell-header', '.mantine-AppShell-navbar'];

/** Finds buttons of the top dialog or the page that have one name in different rows: a screen reader lists them without their rows. A log’s row is its button, and notices pass. */
const repeatedNames = (except: string[]) => `(() => {
  axe.setup(document.body);
  const rows = new Map();
  const dialog = [...document.querySelectorAll('[aria-modal=true]')].at(-1);
  for (const button of (dialog ?? document).querySelectorAll('button:not(.log-line *, .mantine-Notification-root *), [role=button], a.mantine-Button-root')) {
    if (${JSON.stringify(except)}.some((selector) => button.closest(selector)) || !axe.commons.dom.isVisibleToScreenReaders(button)) continue;
    const name = axe.commons.text.accessibleText(button);
    // Nobody can tell rows of one text apart.
    const row = button.closest('tr, [role=listitem], [role=alert], .inbox-line');
    rows.set(name, (rows.get(name) ?? new Set()).add(row ? row.textContent : button));
  }
  axe.teardown();
  return [...rows].filter(([, places]) => places.size > 1).map(([name]) => ['repeated-name', name]);
})()`;

/**
 * @param rules by default all, and the names of buttons
 * @param except selects elements that another call checks
 * @returns accessibility violations of the page: the rule and its first element
 */
export async function accessibilityFaults(page: Page, rules?: string[], except: string[] = []): Promise<(string | undefined)[][]> {
  // axe describes every element of the other results too, which takes most of its time, and loads style sheets for a rule that is off.
  const options = { resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) };
  // Rules of the whole page still apply with exceptions.
  const context = { exclude: except.map((selector) => [selector]) };
  return eventually(async () => {
    // axe reports half-transparent elements as lacking contrast.
    await settled(page);
    if (await page.evaluate('window.axe === undefined')) await page.evaluate(AXE);
    const { violations, isFading } = (await page.evaluate(`(async () => {
      let isFading = false;
      const note = () => (isFading = true);
      document.addEventListener('transitionrun', note);
      const { violations } = await axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)});
      document.removeEventListener('transitionrun', note);
      return { violations, isFading: isFading || ${FADES} };
    })()`)) as { violations: Violation[]; isFading: boolean };
    const repeated = rules ? [] : await page.evaluate<string[][]>(repeatedNames(except));
    // A notice may begin to fade while axe runs; then look again.
    return (violations.length === 0 || !isFading) && [...violations.map(({ id, nodes }) => [id, nodes[0]?.html]), ...repeated];
  });
}
