export { HeldAnswers, type HeldAnswersOptions } from './held-answers';
