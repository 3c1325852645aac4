// Lints code as the index of a library. Reads pairs of library and code from stdin, and prints the messages for each pair.
import { json } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import { configs } from 'typescript-eslint';

// Without types: other tests may write sources of the program meanwhile.
const eslint = new ESLint({ overrideConfig: [configs.disableTypeChecked] });
const messages = [];
for (const [library, code] of await json(process.stdin)) {
  const [result] = await eslint.lintText(code, { filePath: `libs/${library}/src/index.ts` });
  messages.push(result.messages.map(({ ruleId, message }) => `${ruleId}: ${message}`).join('\n'));
}
console.log(JSON.stringify(messages));
