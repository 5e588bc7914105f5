
export default function (pi) {
  pi.on("tool_result", async (event, ctx) => {
    if (event.toolName !== "bash" || !Array.isArray(event.content)) return
    const printed = event.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
    const text = await reminder(event.input?.command ?? "", printed, ctx?.cwd)
    if (text) return { content: [...event.content, { type: "text", text }] }
  })

  pi.on("session_compact", async (_event, ctx) => {
    const text = await brief(ctx?.cwd)
    // Between two turns of a run it comes before the next one; else it waits for what the user says next.
    if (text) pi.sendMessage({ customType: "autoresearch-ledger", content: text, display: true }, { deliverAs: "steer" })
  })
}
