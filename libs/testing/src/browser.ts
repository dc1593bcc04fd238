import type { Browser } from 'playwright-core';
import { installedProgram } from './programs';

/** The system's Chromium. @throws Error with the line that says what to install */
export async function startBrowser(): Promise<Browser> {
  // Loaded here only: most specs import this library and open no browser.
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: installedProgram('chromium'), args: ['--no-sandbox'] });
}
