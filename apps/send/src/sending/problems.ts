import { GatewayError } from '@mgw/contracts';

/** Receives a reason to refuse a message. A send stops at the first one; a dry run collects all. */
export type ReportProblem = (problem: GatewayError) => void;

export function stopAtFirst(problem: GatewayError): never {
  throw problem;
}

/** Reports a refusal that the step throws. A failure of the gateway itself stays an error. @returns null after a refusal */
export async function reportingRefusal<T>(report: ReportProblem, step: () => T | Promise<T>): Promise<T | null> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status >= 500) throw error;
    report(error);
    return null;
  }
}
