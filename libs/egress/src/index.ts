export { allowedTarget, EgressRules, type AddressRefusal } from './rules';
export { Egress, type EgressCall, type EgressDownload, type EgressResult } from './egress';
export { systemResolver, type Resolve } from './resolver';
export { egressOf, egressSettings } from './service-egress';
