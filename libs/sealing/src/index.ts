export { Sealer, SealingError } from './sealer';
