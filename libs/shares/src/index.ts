export { Shares, type Release, type SharesOptions } from './shares';
