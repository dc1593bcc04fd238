// Closes a test run with the plain line `N passed, N failed` (', N skipped' when there are any).
module.exports = class SummaryReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites }) {
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    this.line = `${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed${skipped}`;
    process.on('exit', () => process.stdout.write(`${this.line}\n`));
  }
};
