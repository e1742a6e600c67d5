const { session } = require('./session.mjs');
const required = require('todo-stop-guard');
const { PromptContext } = require('todo-stop-guard/prompt-context');

if (typeof PromptContext !== 'function') throw new Error('require does not find the entry for Node.');
import('todo-stop-guard')
  .then((imported) => {
    if (imported.DaemonTodoStopGuard !== required.DaemonTodoStopGuard) throw new Error('There are two of the package.');
    return session();
  })
  .then((told) => {
    console.log(JSON.stringify(told));
  });
