import { PromptContext } from 'todo-stop-guard/prompt-context';

const context = new PromptContext();
console.log(await context.run('prompt-1', async () => context.promptId));
