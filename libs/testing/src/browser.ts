import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { installedProgram } from './programs';

/** Starts the system's Chromium, which opens all pages of a site in one process. @throws Error with a line that names the package to install */
export async function startBrowser(): Promise<Browser> {
  // Load Playwright here only, because most specs that import this library open no browser.
  const { chromium } = await import('playwright-core');
  // Drawing by the processor itself costs less than by its emulation of a graphics card.
  const args = ['--no-sandbox', '--process-per-site', '--disable-gpu', '--in-process-gpu'];
  return chromium.launch({ executablePath: installedProgram('chromium'), args });
}

/** Longest wait for an element or a page, in milliseconds. Playwright's own 30 seconds are too short for a busy machine. */
const PATIENCE_MS = 60_000;

/** A new session in the browser, for a person who prefers less motion. */
export async function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}
