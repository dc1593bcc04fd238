import { chromium, type Browser } from 'playwright-core';
import { installedProgram } from './programs';

/** The system's Chromium. @throws Error with the line that says what to install */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: installedProgram('chromium'), args: ['--no-sandbox'] });
}
