// What the scripted model says. What a person asks chooses the script, and each further call of the model in that prompt is its
// next step. So two sessions may run at once, and a sub-agent finds its own.

import { ask, delegate, edit, plan, read, shell, wait, write } from "./tools.mjs";

export const GREET = "export function greet(name) {\n    return `Hello, ${name}.`;\n}\n";
const OLD = "    return `Hello, ${name}.`;";
const NEW = "    const who = name.trim() || \"you\";\n    return `Hello, ${who}!`;";

/** The files of each project. */
export const PROJECT = {
  "README.md": "# Greet\n\nSays hello.\n",
  "src/greet.mjs": GREET,
  "test/greet.test.mjs": `import assert from "node:assert/strict";\nimport { greet } from "../src/greet.mjs";\n\nassert.equal(greet(" Ada "), "Hello, Ada!");\nconsole.log("1 test passed");\n`,
};

const STEPS = ["Read the file", "Change the greeting", "Run the test"];
const states = (...all) => plan(STEPS.map((step, at) => [step, all[at]]));

/** A call and what is said when it is over. */
const then = (call, after) => [{ say: "I will do that. ", calls: [call] }, { say: after }];

/** By the words that a prompt contains. */
export const SCRIPT = {
  "What does the project do?": [
    {
      think: "The person wants a summary. I know the project, so I can answer at once.",
      say: "The project has **one** function, `greet`.\n\n```js\n" + GREET + "```\n\n- It takes a name.\n- It returns a sentence — with a dash, an emoji 👋🏽 and 日本語.\n",
    },
  ],
  "Make a file.": then(shell("touch made.txt"), "The command has run."),
  "Make a folder.": then(shell("mkdir -p kept"), "The folder is there."),
  "Make the folder again.": then(shell("mkdir -p kept"), "It is still there."),
  "Make it again.": then(shell("touch made.txt"), "The same command has run again."),
  "Do two things.": [{ say: "I will do both. ", calls: [shell("touch one.txt"), shell("touch two.txt")] }, { say: "Both are over." }],
  "Run for long.": then(shell("touch begun.txt; sleep 600"), "That was long."),
  "Fail.": then(shell("echo to-stdout; echo to-stderr >&2; exit 3"), "The command failed with exit code 3."),
  "Make the greeting warmer.": [
    { say: "First I read the file.", calls: [read("src/greet.mjs")] },
    { say: "Now I change it.", calls: [edit("src/greet.mjs", OLD, NEW)] },
    { say: "The greeting is warmer now." },
  ],
  "Add a bye function.": then(write("src/bye.mjs", "export function bye(name) {\n    return `Bye, ${name}.`;\n}\n"), "I made a new file."),
  "Make a plan and follow it.": [
    { say: "I make a plan.", calls: [states("in_progress", "pending", "pending")] },
    { calls: [states("completed", "in_progress", "pending")] },
    { calls: [states("completed", "completed", "completed")] },
    { say: "The plan is done." },
  ],
  "Plan a warmer greeting.": [
    { say: "<proposed_plan>\n# Warmer greeting\n\n- Trim the name\n- Use an exclamation mark\n</proposed_plan>" },
    { say: "I will follow the plan." },
  ],
  "Ask me something.": then(ask("Which tone should the greeting have?", ["Warm", "Formal"]), "Thank you, I will use that tone."),
  "Let a helper look.": [
    { calls: [delegate("Look at the greeting for me.")] },
    { calls: [wait] },
    { say: "The helper has looked around." },
  ],
  "Look at the greeting for me.": [{ say: "The helper reads.", calls: [read("src/greet.mjs")] }, { say: "The helper found one function." }],
  "Let a helper make a file.": [
    { calls: [delegate("Make a file for me.")] },
    { calls: [wait] },
    { say: "The helper has made it." },
  ],
  "Make a file for me.": then(shell("touch made-by-helper.txt"), "The helper made a file."),
  "Break.": [{ fail: 400, message: "The scripted model refuses this request", type: "invalid_request_error" }],
  "Are you there?": [{ say: "I am still here." }],
  "Greet Ada warmly, and prove it.": [
    { think: "I should look at the code before I change it.", say: "I will read the function, change it, and run the test.", calls: [read("src/greet.mjs")] },
    { say: "`greet` ends with a full stop and keeps the blanks around a name. I will trim the name and use an exclamation mark.", calls: [edit("src/greet.mjs", OLD, NEW)] },
    { say: "Now the test.", calls: [shell("node test/greet.test.mjs")] },
    { say: "The greeting is warmer now, and **the test passes**:\n\n- `greet` trims the name.\n- A name of blanks becomes “you”.\n" },
  ],
};
