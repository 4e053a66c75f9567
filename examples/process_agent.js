// An external agent in JavaScript: it reads one JSON object a line and answers each with one.
// Run it with: trireme arena gomoku random process:cmd="node examples/process_agent.js"
const lines = require("node:readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    console.log(JSON.stringify({ ready: true }));
  } else if (message.type === "turn") {
    const choices = message.legal ?? [message.example];
    console.log(JSON.stringify({ action: choices[message.random % choices.length] }));
  }
});
