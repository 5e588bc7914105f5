
/** Texts among the parts of a result, as one. */
function texts(content) {
  if (typeof content === "string") return content
  return (content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}

export default {
  id: "autoresearch-ledger",

  // OpenCode 1
  server: async ({ directory } = {}) => ({
    "tool.execute.after": async (input, output) => {
      if (input.tool !== "bash" || typeof output?.output !== "string") return
      const text = await reminder(input.args?.command ?? "", output.output, directory)
      if (text) output.output += `\n\n${text}`
    },
    "experimental.session.compacting": async (_input, output) => {
      const text = await brief(directory)
      if (text) output.context.push(text)
    },
  }),

  // OpenCode 2
  setup: async (ctx) => {
    const directory = ctx.location?.directory
    await ctx.tool.hook("execute.after", async (event) => {
      if (!["shell", "bash"].includes(event.tool) || event.status !== "completed") return
      const content = event.result.content
      const text = await reminder(event.input?.command ?? "", texts(content), directory)
      if (!text) return
      const before = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? [])
      event.result = { ...event.result, content: [...before, { type: "text", text }] }
    })
    await ctx.session.hook("compaction", async (event) => {
      const text = await brief(directory)
      if (text) event.system.push({ type: "text", text })
    })
  },
}
