import { SetMetadata } from '@nestjs/common';
import type { GatewayError } from '@mgw/contracts';

/** The fault of a dry run's request, whose fields may then have any value. A symbol, because no request can contain it. */
export const DRY_RUN_FAULT = Symbol('the fault of a dry run');

const TAKES_DRY_RUNS = 'takes-dry-runs';

/** Marks a request class whose endpoint reports faults instead of refusing them if `dry_run` is set (decision 332). */
export const TakesDryRuns = (): ClassDecorator => SetMetadata(TAKES_DRY_RUNS, true) as ClassDecorator;
export const takesDryRuns = (type: object): boolean => Reflect.getMetadata(TAKES_DRY_RUNS, type) === true;

/** A request that may be a dry run. */
export interface DryRunnable {
  dry_run?: boolean | string | null;
  [DRY_RUN_FAULT]?: GatewayError;
}
