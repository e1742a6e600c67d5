/** Prints the runner's own numbers as one plain line. A file that could not be run counts as a failure. */
import { readTestReport } from './test-report.ts';

const { numPassedTests, numFailedTests, testResults } = readTestReport();
const brokenFiles = testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status === 'passed'),
);
console.log(`${numPassedTests} passed, ${numFailedTests + brokenFiles.length} failed`);
