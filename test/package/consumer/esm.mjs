import { session } from './session.mjs';

console.log(JSON.stringify(await session()));
