// autoresearch-ledger, not sealed
// Written by `ar setup`, and kept up to date by it as long as nobody edits it; `ar setup ... --remove` takes it away.
import { spawn } from "node:child_process"

const PROGRAM = []

/** What our program answers at one of its hooks: a text for the agent, empty for none. It never fails. */
function answer(words, given, seconds, directory) {
  return new Promise((resolve) => {
    let said = ""
    let timer
    const end = (text) => {
      clearTimeout(timer)
      resolve(text)
    }
    try {
      const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), "hook", ...words], {
        cwd: directory || process.cwd(),
        stdio: ["pipe", "pipe", "ignore"],
      })
      timer = setTimeout(() => {
        child.kill("SIGKILL")
        child.stdout.destroy()
        end("")
      }, seconds * 1000)
      child.on("error", () => end(""))
      child.on("close", () => end(context(said)))
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (part) => (said += part))
      child.stdin.end(given)
    } catch {
      end("")
    }
  })
}

function context(said) {
  try {
    const text = JSON.parse(said).hookSpecificOutput.additionalContext
    return typeof text === "string" ? text : ""
  } catch {
    return ""
  }
}

/** The reminder to record the fix, where what a shell command printed holds error text. */
function reminder(command, printed, directory) {
  const call = { hook_event_name: "PostToolUse", tool_name: "bash", tool_input: { command }, tool_response: printed }
  return answer(["error-capture"], JSON.stringify(call), 5, directory)
}

/** Where the measured session stands; empty where none is under way. */
function brief(directory) {
  return answer(["brief"], "", 30, directory)
}
