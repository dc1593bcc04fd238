import type { Schemas } from '../../api/client';

export type BusinessDetail = Schemas['BusinessDetail'];
export type Business = BusinessDetail['business'];
