// A scripted reply as Gemini's API has it: `generateContent`, whole or streamed.

import { spoken, USAGE } from "../../live/support/model-replies.mjs";

const usageMetadata = { promptTokenCount: USAGE.input, candidatesTokenCount: USAGE.output, totalTokenCount: USAGE.input + USAGE.output, cachedContentTokenCount: USAGE.cached };
const calls = (said) => said.calls.map(({ id, name, args }) => ({ functionCall: { id, name, args: JSON.parse(args) } }));
const answer = (model, said, parts, finishReason) => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason && { finishReason }) }],
  modelVersion: model,
  responseId: said.id,
  usageMetadata,
});

export const generateContent = {
  whole: (model, said) => answer(model, said, [{ text: said.say }, ...calls(said)], "STOP"),
  async *stream(model, said) {
    const part = (...given) => `data: ${JSON.stringify(answer(model, said, ...given))}\n\n`;
    if (said.think) yield part([{ text: said.think, thought: true }]);
    for await (const text of spoken(said)) yield part([{ text }]);
    yield part(said.calls.length ? calls(said) : [{ text: "" }], "STOP");
  },
};
